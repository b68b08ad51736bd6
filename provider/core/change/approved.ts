import { nearest } from "../common/nearest";
import { agentKey, parseAgentKey } from "../routing/split";

/** An agent that is not on the list of approved agents. */
export interface Unapproved {
  readonly agent: string;
  /** The approved agent that was probably meant, if its id looks like a typing mistake. */
  readonly meant: string | undefined;
}

export function notApproved(agent: string, approved: readonly string[]): Unapproved {
  const { agentId, agentVersion } = parseAgentKey(agent);
  const words = approved.map((key) => bare(parseAgentKey(key).agentId));
  // A new version of an approved agent is no typing mistake, and two short names are always alike.
  const isTypo = bare(agentId).length >= 3 && !words.includes(bare(agentId));
  const word = isTypo ? nearest(bare(agentId), words) : undefined;
  const key = word && agentKey({ agentId: `agent_${word}`, agentVersion });
  return { agent, meant: key === undefined || approved.includes(key) ? key : `agent_${word}` };
}

/** What all ids begin with says nothing. */
const bare = (agentId: string): string => agentId.replace(/^agent_/, "");
