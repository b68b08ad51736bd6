import { join } from "node:path";
import { meantId } from "../../provider/core/numbers/guards";
import { agentKey, parseAgentKey } from "../../provider/core/routing/split";
import { UsageError } from "../errors";
import { readExactly } from "../io";
import { configOf, readHistory } from "../pulumi/history";
import type { StackState } from "../pulumi/stackExport";
import { ROLLOUTS } from "../stack/rollout";
import { type StackRollout, stackFilesIn } from "./stackFile";

/** Is the agent that `--to` names a typing mistake? A guard sees that only after a commit, or not at all at 1 %. */

/** A version that is so much newer than each that is known was not meant: 114 for 14. */
const FAR = 50;

const AGENT_KEYS = /\bagent_[\w-]+(?:@[1-9]\d*)?/g;

/** Refuses an agent that no split, no list and no record of the project has, and a version that is far from those. */
export async function refuseUnknown(
  to: string,
  rollout: StackRollout,
  state: StackState,
  approved: readonly string[],
): Promise<void> {
  const here = agentsIn([state.resources, rollout.all, approved, configTexts(rollout)]);
  if (isKnown(to, here)) {
    return;
  }
  const runs = await readHistory(rollout.stack, rollout.workspace.io);
  const all = [...here, ...agentsIn(runs.map((run) => configOf(run, ROLLOUTS)))];
  if (!isKnown(to, all)) {
    throw new UsageError(`${unknownText(to, all)} If it is right: --new`);
  }
}

const agentsIn = (values: unknown): string[] => JSON.stringify(values).match(AGENT_KEYS) ?? [];

/** The files of the project and of its stacks: an agent that one of them has is no typing mistake in another. */
const configTexts = ({ workspace: { project, io } }: StackRollout): string[] =>
  [project.file, ...stackFilesIn(project).map((name) => join(project.configFolder, name))].map((file) =>
    readExactly(file, io),
  );

/** Each version of an agent that is known; 0 if it is known without one. */
const versionsOf = (agentId: string, all: readonly string[]): number[] =>
  all.map(parseAgentKey).flatMap((one) => (one.agentId === agentId ? (one.agentVersion ?? 0) : []));

/** A version is known, or is one of the next of an agent that is known. */
function isKnown(to: string, all: readonly string[]): boolean {
  const { agentId, agentVersion = 0 } = parseAgentKey(to);
  const versions = versionsOf(agentId, all);
  const newest = Math.max(...versions);
  const isNext = agentVersion > newest && agentVersion <= newest + FAR;
  return versions.includes(agentVersion) || newest === 0 || (versions.length > 0 && (agentVersion === 0 || isNext));
}

function unknownText(to: string, all: readonly string[]): string {
  const { agentId, agentVersion } = parseAgentKey(to);
  const versions = versionsOf(agentId, all);
  const unknown = `${to} is in no split, list or history of this project.`;
  if (versions.length > 0) {
    return `${unknown} The newest version of it is ${agentKey({ agentId, agentVersion: Math.max(...versions) })}.`;
  }
  const meant = meantId(to, all);
  return meant === undefined
    ? unknown
    : `${unknown} Did you mean ${agentKey({ agentId: parseAgentKey(meant).agentId, agentVersion })}?`;
}
