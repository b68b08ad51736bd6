import { BYPASS_ENV } from "../../../provider/core/settings";
import { CALLED, defineCommand, JSON_OPTION } from "../../command";
import { UsageError } from "../../errors";
import type { Io } from "../../io";
import { present } from "../../lists";
import type { StackState } from "../../pulumi/stackExport";
import { rolloutOf, savedRollouts } from "../../rollout/standing";
import { percentOf, percentOfAgent, percentText, type Rollout } from "../../rollout/value";
import { isUnderWay } from "./next";
import { lineDiff, readProject, replaceFile } from "./stackFile";
import { freezeIn, print, type Result, readStack, readTarget, stackOf, type Target, targetJson } from "./target";

export const abortCommand = defineCommand({
  name: "abort",
  group: "Roll out a version",
  summary: "Give a rollout's stable agent all calls again, in Pulumi.<stack>.yaml",
  usage: ["[name] --stack <name> [options]"],
  examples: [`${CALLED} abort front --stack prod`],
  about: `It sets percent to 0 in the stack's config file and prints the difference. It sends nothing: apply it with \`pulumi up\`.
No guard but freeze refuses that, from any percentage and after failed runs. Without a name it takes the one rollout of
the stack.`,
  options: {
    stack: { type: "string", value: "<name>", help: "the stack whose rollout is aborted" },
    "dry-run": { type: "boolean", help: "write nothing" },
    json: JSON_OPTION,
  },
  takes: { least: 0, most: 1, rule: "Name one rollout." },
  exitCodes: "0 written, 2 wrong arguments, 3 nothing to abort",
  page: "docs/guides/rollout.md",
  async run({ values, positionals: [name] }, io) {
    const project = await readProject(io);
    const stack = stackOf(values);
    const read = await tryToRead(stack, io);
    const target = () => readTarget(project, stack, { name }, io);
    return print(abort(target, read, values["dry-run"] ?? false), values, io);
  },
});

/** What was read of the stack. `unread` says why it could not be read: an abort needs no state, so it is written anyway. */
type Stack = Pick<StackState, "resources" | "pending"> & {
  readonly freeze?: string | undefined;
  readonly unread?: string;
};

async function tryToRead(stack: string, io: Io): Promise<Stack> {
  try {
    const { state, config } = await readStack(stack, io);
    return { ...state, freeze: freezeIn(config) };
  } catch (error) {
    if (error instanceof UsageError) {
      return { resources: [], pending: [], unread: error.message };
    }
    throw error;
  }
}

/** Reads the file again if another command has written it meanwhile. */
function abort(read: () => Target, stack: Stack, isDry: boolean): Result {
  const target = read();
  const { value } = target.found;
  if (percentOf(value) === 0) {
    const text = [nothingText(target), ...stoppedNotes(value.stable, stack)].join("\n");
    return { code: 3, text, outcome: "nothing to abort", ...targetJson(target) };
  }
  const next = { ...value, stable: knownStable(value, stack), percent: 0 };
  const text = target.found.edited(next);
  if (!isDry && !replaceFile(target.file, text)) {
    return abort(read, stack, isDry);
  }
  return written({ target, next, diff: lineDiff(target.file.text, text) }, stack, isDry);
}

/**
 * The stable agent to go back to. If the file's stable agent was edited and never applied, it has had no calls, and the one of the state
 * counts. It also counts if the file has the next rollout already, and the candidate of the last one does not get all calls yet.
 */
function knownStable({ stable, candidate }: Rollout, stack: Stack): string {
  const saved = savedRollouts(stack);
  if (saved.some((one) => one.stable === stable)) {
    return stable;
  }
  const isLast = (one: Rollout) => one.candidate === stable && isUnderWay(one);
  return (saved.find((one) => one.candidate === candidate) ?? saved.find(isLast))?.stable ?? stable;
}

const nothingText = ({ stack, file, found }: Target): string =>
  `Nothing to abort: ${file.shown} gives ${found.value.stable} all calls. If callers still reach another agent, apply it: pulumi up --stack ${stack}`;

function written(
  { target, next, diff }: { target: Target; next: Rollout; diff: string },
  stack: Stack,
  isDry: boolean,
): Result {
  const { file, found } = target;
  const move = `${found.value.candidate} from ${percentText(percentOf(found.value))} to 0 %`;
  const end = isDry
    ? "Not written (--dry-run)."
    : `Written to ${file.shown}. Apply it: pulumi up --stack ${target.stack}`;
  const notes = notesOf(target, next, stack);
  return {
    code: 0,
    text: [
      `${found.name} in ${target.stack}: ${move}; ${next.stable} gets all calls`,
      diff,
      [...notes, end].join("\n"),
    ].join("\n\n"),
    outcome: isDry ? "not written" : "written",
    ...targetJson(target, next),
    ...{ notes, diff },
  };
}

/** What an operator has to know before `pulumi up`. */
function notesOf({ stack: name, found }: Target, next: Rollout, stack: Stack): string[] {
  const { freeze, unread } = stack;
  if (unread !== undefined) {
    return [`Stack ${name} could not be read, so ${next.stable} was not compared with its state: ${unread}`];
  }
  const isKnown = savedRollouts(stack).some(
    (one) => one.stable === next.stable || percentOfAgent(next.stable, one) === 100,
  );
  return present([
    ...stoppedNotes(next.stable, stack),
    next.stable !== found.value.stable &&
      `${found.value.stable} was never applied as the stable agent; ${next.stable} was.`,
    !isKnown &&
      `No resource of stack ${name} has a rollout of ${next.stable}: make sure that this agent is to get all calls.`,
    freeze !== undefined &&
      `agent-platform:freeze blocks it ("${freeze}"). Remove the setting, or apply with ${BYPASS_ENV}="<reason>".`,
  ]);
}

/** The state does not have what a killed run has sent. If the state has the stable split already, `pulumi up` finds no change. */
function stoppedNotes(stable: string, { resources, pending }: Stack): string[] {
  return pending
    .filter(({ urn }) =>
      resources.some((one) => {
        const saved = one.urn === urn ? rolloutOf(one.outputs) : undefined;
        return saved !== undefined && percentOfAgent(stable, saved) === 100;
      }),
    )
    .map(
      ({ operation, kind, name }) =>
        `A run was stopped while it was ${operation} ${kind} "${name}". Its state gives ${stable} all calls already, so \`pulumi up\` may send nothing: change \`triggers\` of it in the same commit.`,
    );
}
