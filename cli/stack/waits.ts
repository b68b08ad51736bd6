import { stackAlone } from "../pulumi/stackExport";
import { namedAgent, percentOfAgent, percentText, type Rollout } from "./rollout";
import { durationText, readDuration, timeText } from "./time";

/** Why a rollout waits with its next step, in sentences. `promote` asks them, and the board shows them. */

export interface Soak {
  readonly minSoak?: string | undefined;
  readonly now: Date;
}

export function waitsForSoak(rollout: Rollout, since: Date | undefined, { minSoak, now }: Soak): string[] {
  if (minSoak === undefined) {
    return [];
  }
  const agent = namedAgent(rollout);
  const what = `${agent} is at ${percentText(percentOfAgent(agent, rollout))}`;
  const asks = `promote.minSoak asks for ${minSoak}`;
  if (since === undefined) {
    const how = "To count from now on, change `triggers`, which sends it again.";
    return [`${what}, and the state does not say since when; ${asks}. ${how}`];
  }
  const age = now.getTime() - since.getTime();
  const ready = since.getTime() + (readDuration(minSoak) ?? 0);
  // The next whole minute, because the text has no seconds.
  const at = timeText(new Date(Math.ceil(ready / 60_000) * 60_000));
  return now.getTime() >= ready ? [] : [`${what} for ${durationText(age)}; ${asks}. Ready at ${at}.`];
}

/** Does the stack that is to be first give the agent less than all its calls? @param there its rollout of this name */
export function waitsForAfter({ candidate = "" }: Rollout, after: string, there: Rollout): string[] {
  const percent = percentOfAgent(candidate, there);
  const asks = `promote.after: ${after} asks for 100 %`;
  return percent === 100 ? [] : [`stack ${stackAlone(after)} gives ${candidate} ${percentText(percent)}; ${asks}.`];
}
