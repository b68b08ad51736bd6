import { type Place, placeOf } from "../core/endpoint";
import type { Routing } from "../core/routing";
import { defined } from "../core/same";
import type { Settings } from "../core/settings";

/** What the settings add to a routing, so that a changed setting is a change that a reviewer sees. */
export function withDefaults<Inputs extends Routing>(value: Inputs, settings: Settings): Inputs & Place {
  return defined({
    ...value,
    accountSid: value.accountSid ?? settings.accountSid,
    workspaceId: value.workspaceId ?? settings.workspaceId,
    ...placeOf(settings),
  });
}
