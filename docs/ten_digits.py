"""The figure of ten digits, and of what the matrix of each class looks at: python docs/ten_digits.py

Two thirds of the digits select ten of their rows and learn a matrix for each class; the title has the error on the others.
"""

from pathlib import Path

import protoclass as pc

SHAPE = (8, 8)


def main() -> None:
    digits = pc.load_data("digits")
    new = digits.index % 3 == 0
    raw = pc.Euclidean(scale=False)
    arguments = {"K": 1, "matrix": "full", "local": True, "ridge": 0.01, "dims": 35, "cv": None}
    fit = pc.fit("digit ~ .", digits[~new], "medianglvq", dissimilarity=raw, **arguments)
    error = fit.test(digits[new]).error
    figure = fit.plot("weights", shape=SHAPE)
    title = f"Ten real digits misclassify {100 * error:.1f} % of {new.sum()} others. Below: the pixels that count in distances to each"
    figure.axes[0].set_title(title, fontsize="medium")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
