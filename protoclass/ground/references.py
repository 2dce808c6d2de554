"""The papers of methods and dissimilarities as BibTeX, which `papers` of their classes name by key."""

from __future__ import annotations

import re

_TEXT = """
@article{bien2011, author = {Bien, Jacob and Tibshirani, Robert}, title = {Prototype selection for interpretable classification},
  journal = {The Annals of Applied Statistics}, volume = {5}, number = {4}, pages = {2403--2424}, year = {2011}, doi = {10.1214/11-AOAS495}}
@article{marchand2002, author = {Marchand, Mario and Shawe-Taylor, John}, title = {The Set Covering Machine},
  journal = {Journal of Machine Learning Research}, volume = {3}, pages = {723--746}, year = {2002}}
@inproceedings{graepel1998, author = {Graepel, Thore and Herbrich, Ralf and Bollmann-Sdorra, Peter and Obermayer, Klaus},
  title = {Classification on pairwise proximity data}, booktitle = {Advances in Neural Information Processing Systems 11}, year = {1998}}
@book{hastie2009, author = {Hastie, Trevor and Tibshirani, Robert and Friedman, Jerome}, title = {The Elements of Statistical Learning},
  publisher = {Springer}, edition = {2}, year = {2009}}
@article{hastie1996, author = {Hastie, Trevor and Tibshirani, Robert}, title = {Discriminant adaptive nearest neighbor classification},
  journal = {IEEE Transactions on Pattern Analysis and Machine Intelligence}, volume = {18}, number = {6}, pages = {607--616},
  year = {1996}}
@article{hart1968, author = {Hart, Peter}, title = {The condensed nearest neighbor rule},
  journal = {IEEE Transactions on Information Theory}, volume = {14}, number = {3}, pages = {515--516}, year = {1968}}
@book{devijver1982, author = {Devijver, Pierre and Kittler, Josef}, title = {Pattern Recognition: A Statistical Approach},
  publisher = {Prentice-Hall}, year = {1982}}
@article{schubert2021, author = {Schubert, Erich and Rousseeuw, Peter}, title = {Fast and eager k-medoids clustering},
  journal = {Information Systems}, volume = {101}, year = {2021}}
@article{nebel2015, author = {Nebel, David and Hammer, Barbara and Frohberg, Kathleen and Villmann, Thomas},
  title = {Median variants of learning vector quantization for learning of dissimilarity data}, journal = {Neurocomputing},
  volume = {169}, year = {2015}}
@article{schneider2009, author = {Schneider, Petra and Biehl, Michael and Hammer, Barbara},
  title = {Adaptive relevance matrices in learning vector quantization}, journal = {Neural Computation}, volume = {21}, number = {12},
  pages = {3532--3561}, year = {2009}}
@book{kohonen1995, author = {Kohonen, Teuvo}, title = {Self-Organizing Maps}, publisher = {Springer}, year = {1995}}
@article{tibshirani2002, author = {Tibshirani, Robert and Hastie, Trevor and Narasimhan, Balasubramanian and Chu, Gilbert},
  title = {Diagnosis of multiple cancer types by shrunken centroids of gene expression},
  journal = {Proceedings of the National Academy of Sciences}, volume = {99}, number = {10}, pages = {6567--6572}, year = {2002}}
@inproceedings{kim2016, author = {Kim, Been and Khanna, Rajiv and Koyejo, Oluwasanmi},
  title = {Examples are not enough, learn to criticize! {C}riticism for interpretability},
  booktitle = {Advances in Neural Information Processing Systems 29}, year = {2016}}
@article{breiman2001, author = {Breiman, Leo}, title = {Random forests}, journal = {Machine Learning}, volume = {45},
  number = {1}, pages = {5--32}, year = {2001}}
@article{gower1971, author = {Gower, John}, title = {A general coefficient of similarity and some of its properties},
  journal = {Biometrics}, volume = {27}, number = {4}, pages = {857--871}, year = {1971}}
@article{leslie2004, author = {Leslie, Christina and Eskin, Eleazar and Cohen, Adiel and Weston, Jason and Noble, William Stafford},
  title = {Mismatch string kernels for discriminative protein classification}, journal = {Bioinformatics}, volume = {20}, number = {4},
  pages = {467--476}, year = {2004}}
@article{levenshtein1966, author = {Levenshtein, Vladimir},
  title = {Binary codes capable of correcting deletions, insertions, and reversals}, journal = {Soviet Physics Doklady}, volume = {10},
  pages = {707--710}, year = {1966}}
@article{sakoe1978, author = {Sakoe, Hiroaki and Chiba, Seibi},
  title = {Dynamic programming algorithm optimization for spoken word recognition},
  journal = {IEEE Transactions on Acoustics, Speech, and Signal Processing}, volume = {26}, number = {1}, pages = {43--49}, year = {1978}}
@inproceedings{simard1993, author = {Simard, Patrice and LeCun, Yann and Denker, John},
  title = {Efficient pattern recognition using a new transformation distance},
  booktitle = {Advances in Neural Information Processing Systems 5}, year = {1993}}
@article{mahalanobis1936, author = {Mahalanobis, Prasanta Chandra}, title = {On the generalised distance in statistics},
  journal = {Proceedings of the National Institute of Sciences of India}, volume = {2}, pages = {49--55}, year = {1936}}
@article{tsamardinos2018, author = {Tsamardinos, Ioannis and Greasidou, Elissavet and Borboudakis, Giorgos},
  title = {Bootstrapping the out-of-sample predictions for efficient and accurate cross-validation}, journal = {Machine Learning},
  volume = {107}, pages = {1895--1922}, year = {2018}}
@article{vovk2015, author = {Vovk, Vladimir}, title = {Cross-conformal predictors},
  journal = {Annals of Mathematics and Artificial Intelligence}, volume = {74}, pages = {9--28}, year = {2015}}
"""
ENTRIES = {entry[entry.index("{") + 1 : entry.index(",")]: entry.strip() for entry in re.split(r"\n(?=@)", _TEXT.strip())}


def label(entry: str) -> str:
    """Authors and year as a text names them.

    Examples
    --------
    >>> label(ENTRIES["bien2011"]), label(ENTRIES["kim2016"]), label(ENTRIES["hart1968"])
    ('Bien and Tibshirani 2011', 'Kim et al. 2016', 'Hart 1968')
    """
    field = dict(re.findall(r"(author|year) = \{([^}]*)\}", entry))
    families = [name.split(",")[0].strip("{ ") for name in field["author"].split(" and ")]
    named = " and ".join(families) if len(families) < 3 else f"{families[0]} et al."
    return f"{named} {field['year']}"
