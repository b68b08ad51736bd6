import { series } from "../base/text";
import { NAMESPACE } from "../config/keys";
import { isOfNumbers, postedAs, type ResourceKind } from "../config/kinds";
import { secretText } from "../config/messages";
import { isInternational } from "../routing/group";
import { FORGET, type Message, messageOf, NO_ACTION, NO_REMEDY, STAYS } from "../words/message";

// The program's process loads this file too, so it must not import run/messages.ts, which loads the schemas.

// --- the program's process

/**
 * The message about guards that were set in the project's own namespace, where they have no effect (for example, by
 * `pulumi config set maxShift 20`).
 */
export function guardsOfProject(project: string, keys: readonly string[]): Message {
  const [settings, projectKeys] = [NAMESPACE, project].map((namespace) =>
    series(keys.map((key) => `${namespace}:${key}`)),
  );
  const verb = keys.length === 1 ? "does not set a guard" : "do not set guards";
  return messageOf(
    "AGP-015",
    undefined,
    `${projectKeys} ${verb}, because guards are in the namespace ${NAMESPACE}.`,
    `Set ${settings} instead, unless your program itself reads ${projectKeys}.`,
  );
}

export const explicitProviderRefused = (name: string): Message =>
  messageOf(
    "AGP-001",
    undefined,
    `The explicit provider "${name}" is not allowed, because a stack uses only the account in its config.`,
    "To use a second account, create a second stack.",
  );

export const optionReadsNothing = (label: string, kind: ResourceKind, option: "import" | "id", id: string): Message =>
  messageOf(
    "AGP-007",
    label,
    `the resource option \`${option}\` cannot be used, because it would read the resource by its id, and the API has no read endpoint.`,
    isOfNumbers(kind)
      ? "To import numbers, write an import file with `npx pulumi-agent-platform takeover --import`, then run `pulumi import --file`."
      : `To record the existing ${postedAs(kind).noun}, use \`adopt: ${JSON.stringify(id)}\` instead, which sends nothing.`,
  );

// --- check and read

/** @param label the resource's label without its number, because the number itself may be secret */
export const secretRefused = (label: string, names: readonly string[]): Message =>
  messageOf("AGP-001", label, secretText(names), NO_REMEDY);

/** @param owners the two resources, such as `NumberAssignment "support"` */
export function declaredTwice(number: string, owners: readonly [string, string]): Message {
  const noun = isInternational(number) ? "Number" : "Extension";
  return messageOf("AGP-003", undefined, `${noun} ${number} is declared by both ${owners.join(" and ")}.`);
}

/** Warns that new resources overwrite the routing of their numbers. */
export const firstAssignment = (): Message =>
  messageOf(
    "AGP-072",
    undefined,
    "New resources overwrite the current routing of their numbers. This warning is shown once per run.",
    "To keep that routing, first record it with `npx pulumi-agent-platform takeover --import`, which sends nothing.",
  );

export const refreshReadsNothing = (kind: ResourceKind): Message =>
  messageOf(
    "AGP-061",
    kind,
    "a refresh leaves the state as it is, because the API has no read endpoint.",
    isOfNumbers(kind)
      ? "If somebody changed a number's routing outside Pulumi, change `triggers` and run `pulumi up`, which sends the declared routing again. After a killed run or a failed `pulumi destroy`, first run `npx pulumi-agent-platform doctor`, because `pulumi up` may add voices and send SMS again."
      : NO_ACTION,
  );

// --- refused deletes

/**
 * Refuses a delete if another provider process has checked resources of the program, for example because two versions
 * of this package are in use.
 */
export const checkedElsewhere = (label: string): Message =>
  messageOf(
    "AGP-074",
    label,
    [
      "the delete was not sent, because the provider was restarted during this run and therefore does not know which numbers the program still declares.",
      STAYS,
    ],
    [
      "If you have just changed the version of this package, go back to the old version, run `pulumi up`, and then upgrade without any other change.",
      `If you used \`--replace\`, do not run the command again. Instead, remove the replaced resource from the state, which sends nothing: run ${FORGET} in a terminal, and choose the entry marked Pending Deletion.`,
    ].join("\n"),
  );

export const deletedFirst = (label: string): Message =>
  messageOf("AGP-075", label, [
    "the delete was not sent, because the resource option `deleteBeforeReplace` would clear numbers before the provider knows which numbers the program still declares.",
    "The resource stays in the state, and its numbers keep their agents.",
  ]);

/**
 * Refuses a delete because the folder for marks can't be used. Without marks, this process can't tell whether it knows
 * everything that the program declares.
 */
export const unknownProgram = (why: string, folder: string): Message =>
  messageOf(
    "AGP-076",
    undefined,
    `No number is cleared and no chat is ended, because this run does not know what the program declares. The provider keeps that information in the folder ${folder}, which ${why}.`,
  );
