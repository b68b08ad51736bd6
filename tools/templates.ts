import {
  FIRST_AGENTS,
  FIRST_SIZE,
  firstProgram,
  firstSettings,
  firstYaml,
  type ProjectOptions,
  projectFiles,
} from "../cli/commands/init/projectFiles";
import type { Files } from "../cli/io";
import { manifest } from "../cli/links";

/** What `pulumi new` makes a project of: the files of `init`, without pipelines, and the settings of the stack as questions with defaults. */

const LANGUAGES = { typescript: "TypeScript", yaml: "YAML" } as const;

/** Pulumi puts the answers in place of these. */
const answer = (name: string): string => `\${${name}}`;

/** By the path in the repository. */
export function templates(): ReadonlyMap<string, string> {
  const languages = Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[];
  return new Map(languages.flatMap((language) => filesOf(language)));
}

function filesOf(language: keyof typeof LANGUAGES): (readonly [path: string, text: string])[] {
  const options: ProjectOptions = {
    name: answer("PROJECT"),
    stacks: ["dev"],
    baseUrl: "http://127.0.0.1:8080",
    approved: FIRST_AGENTS,
    weightTotal: 100,
    size: FIRST_SIZE,
    language,
    packageVersion: `^${manifest().version}`,
  };
  const program = language === "yaml" ? firstYaml(options.name) : firstProgram();
  const { "Pulumi.dev.yaml": stack = "", ...files } = projectFiles(options, program);
  // `pulumi new` asks for texts alone. Numbers and rollouts are maps: so this file comes along, and the answers are added to it.
  const all: Files = { ...files, "Pulumi.dev.yaml": `config:${firstSettings(options, "dev")}` };
  return Object.entries(all).map(([name, text]) => [
    `templates/${language}/${name}`,
    name === "Pulumi.yaml" ? withTemplate(withoutPackages(text), language, stack) : text,
  ]);
}

/** `pulumi new` starts the packages of a project at once, before npm has installed any. So the second of these commands adds them. */
const COMMANDS = {
  typescript: ["pulumi preview"],
  yaml: ["npm install", "pulumi package add ./plugin", "pulumi preview"],
} as const;

const withoutPackages = (project: string): string => project.replace(/^packages:\n(?: .*\n)+/m, "");

const withTemplate = (project: string, language: keyof typeof LANGUAGES, stack: string): string =>
  `${project.replace(/^description: .*$/m, `description: ${answer("DESCRIPTION")}`).trimEnd()}
template:
  displayName: Agent Platform (${LANGUAGES[language]})
  description: The AI agents that answer phone numbers, with guards
  quickstart: ${JSON.stringify(`Next: ${COMMANDS[language].join(" && ")}. A preview sends nothing.`)}
  config:
${questions(stack)}`;

/** A comment above a setting of the stack says what it means; two settings may have one comment. */
function questions(stack: string): string {
  let meaning = "";
  return stack
    .split("\n")
    .map((line) => {
      meaning = /^ {2}# (.+)$/.exec(line)?.[1] ?? meaning;
      const [, key, value = ""] = /^ {2}(agent-platform:\w+): (.+)$/.exec(line) ?? [];
      const texts = { description: JSON.stringify(meaning), default: JSON.stringify(value) };
      return key === undefined
        ? ""
        : `    ${key}:\n      description: ${texts.description}\n      default: ${texts.default}\n`;
    })
    .join("");
}
