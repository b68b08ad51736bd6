import type { NumberResult } from "../../provider/numbers/result";

/** Builds the result of a request for a number without sending the request. */
export const resultOf = (number: string, became: NumberResult["became"]): NumberResult =>
  became === "applied" ? { number, became } : { number, became, cause: { text: "a test" } };
