import { nearest } from "../common/nearest";
import { agentKey, parseAgentKey } from "../routing/split";

/** An agent that is not on the list of approved agents. */
export interface Unapproved {
  readonly agent: string;
  /** The approved agent that was probably meant, if its id looks like a typing mistake. */
  readonly meant: string | undefined;
}

export const notApproved = (agent: string, approved: readonly string[]): Unapproved => ({
  agent,
  meant: nearestAgent(agent, approved),
});

const PREFIX = /^agent_/;

/** The approved agent that was probably meant. A new version of an approved agent is no typing mistake. */
function nearestAgent(agent: string, approved: readonly string[]): string | undefined {
  const { agentId, agentVersion } = parseAgentKey(agent);
  const ids = [...new Set(approved.map((key) => parseAgentKey(key).agentId))];
  const word = agentId.replace(PREFIX, "");
  // What all ids begin with says nothing, and two short names are always alike.
  const alike =
    word.length < 3 || ids.includes(agentId)
      ? undefined
      : nearest(
          word,
          ids.map((id) => id.replace(PREFIX, "")),
        );
  const id = alike && ids.find((one) => one.replace(PREFIX, "") === alike);
  const key = id && agentKey({ agentId: id, agentVersion });
  return key !== undefined && approved.includes(key) ? key : id;
}
