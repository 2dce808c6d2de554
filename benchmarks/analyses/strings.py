"""Protein families by their sequences alone: python benchmarks/analyses/strings.py [rows]"""

import os
import sys

import pandas as pd

import protoclass as pc

folder = os.environ["PROTOCLASS_DATA"]
member = pd.read_csv(f"{folder}/scop_membership.csv.gz").query("positive == 1").drop_duplicates("sequence_id")
data = member.merge(pd.read_csv(f"{folder}/scop_sequences.csv.gz"), on="sequence_id").astype({"family": str})
data = data[data["family"].isin(data["family"].value_counts().index[:3])].sample(frac=1, random_state=0)[: int((sys.argv[1:] or [1000])[0])]
fit = pc.fit("family ~ sequence", data, dissimilarity=pc.Mismatch(k=[3, 5]), max_prototypes=12, progress=False)
print(fit, fit.prototypes, fit.validation.frontier().head(8), sep="\n\n")
