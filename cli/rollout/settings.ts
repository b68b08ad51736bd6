import { readSettings, type SettingProblem } from "../../provider/core/config/readSettings";
import { NAMESPACE, unknownSettings } from "../../provider/core/config/settings";
import { shellText } from "../io";
import { capped, groupBy } from "../lists";
import { guardsIn, UNREAD_ADDRESS } from "../pulumi/guards";
import { readApprovedIn } from "../pulumi/projectFile";
import { valuesOf } from "../pulumi/stacks";
import { configFileArgs, type StackFile } from "./stackFile";

/** The settings that the provider refuses. While one of them is wrong it refuses every change, and so an abort as well. */

/** Each setting of the stack that is not valid: what is wrong, and how it is corrected. A secret and the environment are not judged. */
export function settingsToCorrect(read: StackFile): string[] {
  const { config, stack, workspace } = read;
  const readApproved = readApprovedIn(workspace.io);
  const textOf = (key: string) => config[`${NAMESPACE}:${key}`]?.value;
  const found = readSettings({
    get: textOf,
    isSecret: (key) => config[`${NAMESPACE}:${key}`]?.secret === true,
    // `pulumi up` may have another environment than this command.
    env: textOf("baseUrl") === undefined ? UNREAD_ADDRESS : {},
    readApproved(path) {
      const text = readApproved(path);
      if (text === undefined) {
        throw new Error(`${path} cannot be read`);
      }
      return text;
    },
  });
  const keys = Object.keys(config).filter((key) => key.startsWith(`${NAMESPACE}:`));
  const unknown = unknownSettings(keys.map((key) => key.slice(NAMESPACE.length + 1)));
  const command = (...args: string[]) =>
    ["pulumi", ...args, "--stack", stack, ...configFileArgs(workspace)].map(shellText).join(" ");
  const problems = "problems" in found ? found.problems : [];
  return [
    ...groupBy(problems, ({ key, text }) => key ?? text).map((alike) => {
      const texts = alike.map(({ text }) => text);
      const shown = capped(texts, MOST_OF_SETTING, (more) => `${more} more of it are not valid.`);
      return [...shown, correction(alike[0], read, command)].join(" ");
    }),
    ...unknown.map(({ key, meant }) => {
      const hint = meant === undefined ? "" : ` Did you mean ${NAMESPACE}:${meant}?`;
      const rm = command("config", "rm", `${NAMESPACE}:${key}`);
      return `${NAMESPACE}:${key} is not a setting.${hint} ${refusesUntil(read.file.shown)}: ${rm}`;
    }),
  ];
}

/** A list of approved agents may be wrong in each of its lines. */
const MOST_OF_SETTING = 2;

const refusesUntil = (file: string): string => `\`pulumi up\` refuses every change until ${file} is corrected`;

/** A rollout, and a file with the approved agents, are edited by hand. */
function correction(
  { key }: SettingProblem,
  { file, config, workspace }: StackFile,
  command: (...args: string[]) => string,
): string {
  const { approvedFile, isUnread } = guardsIn(valuesOf(config), false, readApprovedIn(workspace.io));
  const isFile = key === "approvedAgents" && approvedFile !== key;
  const isRead = isFile && !isUnread;
  return key === undefined || key === "rollouts" || isRead
    ? `${refusesUntil(isRead ? approvedFile : file.shown)}. Then check it: ${command("preview")}`
    : `${refusesUntil(file.shown)}: ${command("config", "set", `${NAMESPACE}:${key}`)} ${isFile ? "<file>" : "<value>"}`;
}
