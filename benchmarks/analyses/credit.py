"""Credit approval with missing values, beside logistic regression and a forest: python benchmarks/analyses/credit.py [rows]"""

import os
import sys

import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import protoclass as pc

data = pd.read_csv(f"{os.environ['PROTOCLASS_DATA']}/credit_crx.csv").sample(frac=1, random_state=0)[: int((sys.argv[1:] or [690])[0])]
words = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
numbers = make_pipeline(SimpleImputer(), StandardScaler())
columns = make_column_transformer(
    (words, make_column_selector(dtype_exclude="number")), (numbers, make_column_selector(dtype_include="number"))
)
two = {"method": "medianglvq", "K": 1, "matrix": "diagonal"}
others = {"logistic": LogisticRegression(max_iter=5000), "forest": RandomForestClassifier(500, random_state=0)}
methods = {"two cases": two, "pvm": "pvm"} | {name: make_pipeline(columns, model) for name, model in others.items()}
result = pc.compare("approved ~ .", data, methods, cv=5, na="keep", progress=False)
print(result, result.as_table(), sep="\n\n")
