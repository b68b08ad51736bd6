import { lastKnownAfter, type NumberResult } from "../../provider/numbers/result";
import { lastKnownIn, type NumbersState } from "../../provider/numbers/state";
import type { NumbersInputs } from "../../provider/routing/group";
import { routingOf } from "../../provider/routing/routing";

/** The result of a request without the request: what became of a number when a run sent it the routing of `news`. */
export function resultOf(
  number: string,
  became: NumberResult["became"],
  olds: NumbersState,
  news: NumbersInputs,
): NumberResult {
  const routing = routingOf(news);
  return became === "applied"
    ? { number, became, lastKnown: { applied: routing } }
    : {
        number,
        became,
        lastKnown: lastKnownAfter(lastKnownIn(number, olds, news), routing, became),
        cause: { text: "a test" },
      };
}
