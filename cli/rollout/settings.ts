import { readSettings, type SettingProblem } from "../../provider/core/config/readSettings";
import { NAMESPACE, unknownSettings } from "../../provider/core/config/settings";
import { capped, groupBy } from "../lists";
import { guardsIn, UNREAD_ADDRESS } from "../pulumi/guards";
import { readApprovedIn } from "../pulumi/projectFile";
import { valuesOf } from "../pulumi/stacks";
import { pulumiCommand, type StackFile } from "./stackFile";

/** The guards of a stack, and its settings that are wrong. While one is, the provider refuses every change, and so an abort as well. */

export const guardsOf = ({ config, workspace }: StackFile) =>
  guardsIn(valuesOf(config), false, readApprovedIn(workspace.io));

/** A list of approved agents may be wrong in each of its lines. */
const MOST_OF_SETTING = 2;

/** Each setting of the stack that is not valid: what is wrong, and how it is corrected. A secret and the environment are not judged. */
export function settingsToCorrect(read: StackFile): string[] {
  const { config, workspace } = read;
  const entryOf = (key: string) => config[`${NAMESPACE}:${key}`];
  const readApproved = readApprovedIn(workspace.io);
  /** The file that approvedAgents names, and whether it could be read. */
  const lists = new Map<string, boolean>();
  const found = readSettings({
    get: (key) => entryOf(key)?.value,
    isSecret: (key) => entryOf(key)?.secret === true,
    // `pulumi up` may have another environment than this command.
    env: entryOf("baseUrl")?.value === undefined ? UNREAD_ADDRESS : {},
    readApproved(path) {
      const text = readApproved(path);
      lists.set(path, text !== undefined);
      if (text === undefined) {
        throw new Error(`${path} cannot be read`);
      }
      return text;
    },
  });
  const keys = Object.keys(config).filter((key) => key.startsWith(`${NAMESPACE}:`));
  const unknown = unknownSettings(keys.map((key) => key.slice(NAMESPACE.length + 1)));
  const problems = "problems" in found ? found.problems : [];
  return [
    ...groupBy(problems, ({ key, text }) => key ?? text).map((alike) => {
      const texts = alike.map(({ text }) => text);
      const shown = capped(texts, MOST_OF_SETTING, (more) => `${more} more of it are not valid.`);
      return [...shown, correction(alike[0], read, lists)].join(" ");
    }),
    ...unknown.map(({ key, meant }) => {
      const hint = meant === undefined ? "" : ` Did you mean ${NAMESPACE}:${meant}?`;
      const remove = pulumiCommand(read, "config", "rm", `${NAMESPACE}:${key}`);
      return `${NAMESPACE}:${key} is not a setting.${hint} ${refusesUntil(read.file.shown)}: ${remove}`;
    }),
  ];
}

const refusesUntil = (file: string): string => `\`pulumi up\` refuses every change until ${file} is corrected`;

/** A rollout, and a file with the approved agents, are edited by hand. */
function correction({ key }: SettingProblem, read: StackFile, lists: ReadonlyMap<string, boolean>): string {
  const [[list, isRead] = []] = key === "approvedAgents" ? [...lists] : [];
  const wrong = isRead && list !== undefined ? list : read.file.shown;
  return key === undefined || key === "rollouts" || isRead
    ? `${refusesUntil(wrong)}. Then check it: ${pulumiCommand(read, "preview")}`
    : `${refusesUntil(wrong)}: ${pulumiCommand(read, "config", "set", `${NAMESPACE}:${key}`)} ${list === undefined ? "<value>" : "<file>"}`;
}
