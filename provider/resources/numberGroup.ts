import { numbers } from "../core/routing/numbers";
import { numbersLifecycle } from "./numbers/lifecycle";

/** Many numbers with one routing. If numbers leave, the group is replaced: its create sends only what changed, and it keeps its id. */
export const numberGroup = numbersLifecycle({
  kind: "NumberGroup",
  argument: "numbers",
  form: numbers,
  newId: (_inputs, session) => session.newId("group"),
  keepsId: true,
});
