"""Sizes and thresholds that decide how something is computed, not what comes out.

A quoted name is the case of `benchmarks/beside.py` that a change is measured by. Sizes that a
compiled kernel uses stand beside it, because its cache would not notice a change here.
"""

# limits of memory
SHARE = 0.25  # of the memory that is left, for one matrix: a method needs copies and room to work
SMALLEST = 2**26  # bytes of a matrix from which on the limits are checked
LARGEST = 2**27  # numbers of one array that a method makes within a class, at most
HELD = 2**29  # distances, or pairs of a row and a ball, that a method keeps at most
GAINS = 2**28  # bytes of the gains of all candidates; beyond them, folds are taken in groups

# what is kept, and what is computed again
HOLD_LIMIT = 2**29  # bytes of a matrix that is stored although it is used once: "20,000 x 6"
KEPT = 2**29  # pairs whose codes are kept; more are coded again class by class: "20,000 x 6"
AT_ONCE = 2**22  # numbers computed at a time: such products stay near the processor: "USPS, 10"
CACHED = 2**17  # numbers whose copies stay in the second-level cache: "100,000 x 2"
BLOCK = 512  # rows or prototypes measured at a time: "importance()"

# threads and small work
THREAD_ROWS = 128  # rows given to a thread at a time
SMALL = 2**19  # entries from which on threads share the work: "first fit of iris"
FEW = 2**18  # steps that are left to NumPy, which compiles nothing: "first fit of iris"

# trees, products or exact distances
MOST_COLUMNS = 7  # that a tree searches: "20,000 x 6"
SEARCHED = 2**22  # pairs from which on preparing a tree pays: "100,000 x 2"
COSTLY = 32  # pairs of a tile that are coded while a tree finds and measures one: "100,000 x 2"
SCREENED = 2**18  # pairs from which on a product with its bound pays: "USPS at one eps"
NARROWEST = 5  # columns: with fewer the exact kernel is as fast as a product: "20,000 x 6"
# pairs from which on bins are hundreds for each power of two, and not dozens: a fold of 569 rows
# then takes 6 ms instead of 11 with a few bins, on one thread: "breast cancer, compare"
FINE_FROM = 2**20

# balls as codes or as lists, and covers
PER_ENTRY = 8  # codes that are read in the time of an entry of a list: "USPS, 10"
PER_PAIR = 40  # bytes that a pair takes while lists are made
AFFORDABLE = 20_000_000  # pairs of a linear program that is solved as a whole: "Pima, exact"
