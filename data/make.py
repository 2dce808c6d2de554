"""Write iris.csv, wine.csv, breast_cancer.csv and digits.csv from scikit-learn's copies: python data/make.py"""

from pathlib import Path

from sklearn import datasets

HERE = Path(__file__).parent

iris = datasets.load_iris(as_frame=True)
table = iris.data.set_axis(["sepal_length", "sepal_width", "petal_length", "petal_width"], axis=1)
table["species"] = iris.target_names[iris.target]
table.to_csv(HERE / "iris.csv", index=False)

wine = datasets.load_wine(as_frame=True)
table = wine.data.rename(columns={"od280/od315_of_diluted_wines": "od280_od315"})
table["cultivar"] = [f"cultivar {k + 1}" for k in wine.target]
table.to_csv(HERE / "wine.csv", index=False)

cancer = datasets.load_breast_cancer(as_frame=True)
table = cancer.data.set_axis([c.replace(" ", "_") for c in cancer.data.columns], axis=1)
table["diagnosis"] = cancer.target_names[cancer.target]
table.to_csv(HERE / "breast_cancer.csv", index=False)

digits = datasets.load_digits(as_frame=True)
table = digits.data.astype(int)
table["digit"] = digits.target
table.to_csv(HERE / "digits.csv", index=False)
