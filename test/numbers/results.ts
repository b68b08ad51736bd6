import type { NumberResult } from "../../provider/numbers/result";

/** The result of a request without the request: what became of a number. */
export const resultOf = (number: string, became: NumberResult["became"]): NumberResult =>
  became === "applied" ? { number, became } : { number, became, cause: { text: "a test" } };
