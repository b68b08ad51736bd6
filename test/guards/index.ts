import { ANSWERS } from "./answers";
import { CLIENT } from "./client";
import type { Guard } from "./guard";
import { NUMBERS } from "./numbers";
import { OUTCOMES } from "./outcomes";
import { PROGRAM } from "./program";
import { SECRETS } from "./secrets";

export type { Guard };

/** Every place in the code that keeps something from happening, and that a test was seen to hold. */
export const GUARDS: readonly Guard[] = [...NUMBERS, ...OUTCOMES, ...ANSWERS, ...PROGRAM, ...CLIENT, ...SECRETS];
