import { ANSWERS } from "./answers";
import { CONNECTION } from "./connection";
import { CONTENTS } from "./contents";
import type { Fault } from "./fault";
import { INPUTS } from "./inputs";
import { RUNS } from "./runs";

export type { Fault };

/** Every fault that is tested, in the order of the page. */
export const FAULTS: readonly Fault[] = [...CONNECTION, ...ANSWERS, ...CONTENTS, ...RUNS, ...INPUTS].sort(
  (a, b) => a.id - b.id,
);
