import { GUARD_KEYS, NAMESPACE, postedNouns } from "../../../provider/review";
import { UsageError } from "../../errors";
import type { Preview } from "../../pulumi/preview";
import { blockingGates, type Gate } from "../gates";
import type { ReadApproved } from "../guards";
import { buildModel, type Model } from "../model";
import { counted, id, joined, say, type Text } from "../text";
import { type Crossing, crossingsOf, unseenNotes } from "./crossing";
import { stackNumbers } from "./numbers";
import { aftersIn, inStages } from "./order";

/** One report over several stacks of a project. */

export type Review = ReturnType<typeof buildReview>;

interface Named {
  readonly stack: string;
  readonly model: Model;
}

export type StackReview = Review["stacks"][number];

/** A preview, and the file that it is read from. */
export interface NamedPreview {
  readonly file: string;
  readonly preview: Preview;
}

interface Options {
  readonly title: string | undefined;
  readonly gates: readonly Gate[];
  readonly now: Date | undefined;
  readonly readApproved: ReadApproved;
}

export function buildReview(previews: readonly NamedPreview[], { title, gates, now, readApproved }: Options) {
  const all = previews.map(({ file, preview }) => {
    const model = buildModel(preview, undefined, now, readApproved);
    const { config } = preview;
    return {
      file,
      preview,
      config,
      model,
      stack: model.stack || nameOfFile(file),
      blocking: blockingGates(gates, model),
      /** Does its config set a guard? */
      hasGuards: GUARD_KEYS.some((key) => config[`${NAMESPACE}:${key}`] !== undefined),
    };
  });
  const project = projectOf(all);
  refuseTwins(all);
  const stacks = inStages(all);
  const seen = stacks.filter(({ model }) => !model.hasFailed);
  const numbers = seen.map(({ stack, preview, model: { areBypassed } }) => ({
    stack,
    areBypassed,
    ...stackNumbers(preview),
  }));
  const crossings = crossingsOf(numbers);
  const failed = stacks.filter(({ model }) => model.hasFailed).map(({ stack }) => stack);
  return {
    title,
    project,
    headline: headlineOf(stacks, crossings),
    /** Numbers that two stacks are about; what blocks comes first. */
    crossings,
    /** Which stack is deployed after which one, and what the previews do not show. */
    notes: [...orderNotes(stacks), ...unseenNotes(numbers, failed)],
    /** In the order in which they are deployed. */
    stacks,
  };
}

/** A preview that failed early names no stack. The pipelines write `preview.<stack>.json`. */
const nameOfFile = (file: string): string =>
  file
    .replace(/^.*[/\\]/, "")
    .replace(/(\.preview)?\.[^.]*$/, "")
    .replace(/^preview\./, "");

function projectOf(all: readonly Named[]): string {
  const [project = "", ...others] = new Set(all.flatMap(({ model }) => model.project || []));
  if (others.length > 0) {
    throw new UsageError(
      `The previews are of ${others.length + 1} projects: ${[project, ...others].join(", ")}. Report each project by itself.`,
    );
  }
  return project;
}

function refuseTwins(all: readonly { readonly stack: string; readonly file: string }[]): void {
  for (const [index, { stack, file }] of all.entries()) {
    const twin = all.slice(0, index).find((other) => other.stack === stack);
    if (twin !== undefined) {
      throw new UsageError(`${twin.file} and ${file} are previews of the same stack, ${stack}. Name each stack once.`);
    }
  }
}

export const moreCrossings = (count: number): string => `${count.toLocaleString("en")} more between the stacks`;

/** What a reader knows after five seconds: what is wrong between the stacks, or what changes in each. */
function headlineOf(stacks: readonly Named[], crossings: readonly Crossing[]): Text {
  const [worst] = crossings;
  if (worst !== undefined) {
    const more = crossings.length > 1 ? ` · and ${moreCrossings(crossings.length - 1)}` : "";
    return say`${worst.isBlocking ? "❌ " : "⚠ "}${worst.title}${more}`;
  }
  const changed = stacks.filter(({ model }) => !model.isUnchanged);
  if (changed.length === 0) {
    return [`No change to agents, ${postedNouns("or")} in ${counted(stacks.length, "stack")}`];
  }
  const parts = changed.map(({ stack, model }) => say`${model.hasFailed ? "❌ " : ""}${id(stack)}: ${model.headline}`);
  const more = parts.length - MOST_STACKS;
  return say`${joined(parts.slice(0, MOST_STACKS), " · ")}${more > 0 ? ` · and ${counted(more, "other stack")}` : ""}`;
}

const MOST_STACKS = 3;

/** Said only if the rollouts name an order. Else the pipeline alone knows it. */
function orderNotes(stacks: readonly { readonly stack: string; readonly config: Preview["config"] }[]): Text[] {
  const names = stacks.map(({ stack }) => stack);
  const isStaged = stacks.some(({ config }) => aftersIn(config).some((after) => names.includes(after)));
  return isStaged
    ? [
        say`In the order of ${id("promote.after")}: ${joined(
          names.map((name) => [id(name)]),
          ", then ",
        )}.`,
      ]
    : [];
}
