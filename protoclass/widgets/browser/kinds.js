// Which page draws what Python or a file has.

import { Comparison } from "./comparison.js";
import { Matrix } from "./matrix.js";
import { Page } from "./page.js";
import { Validation } from "./validation.js";

export const kindOf = (told) => (told.film ? Page : told.matrix ? Matrix : told.methods ? Comparison : Validation);
