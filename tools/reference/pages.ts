import { page, table } from "./markdown";
import { commandsPage, errorsPage, helpersPage, settingsPage } from "./otherPages";
import { RESOURCE_PAGES, resourcePage } from "./resourcePages";

const OTHERS: readonly (readonly [file: string, what: string, text: () => string])[] = [
  ["helpers.md", "split: what `inboundAgents` takes", helpersPage],
  ["commands.md", "The commands, as `help` prints them", commandsPage],
  ["settings.md", "Settings of a stack and of the environment", settingsPage],
  ["errors.md", "Error codes, and what to do", errorsPage],
];

/** Every page of docs/reference by its file name. */
export function referencePages(): ReadonlyMap<string, string> {
  const resources = RESOURCE_PAGES.map((one) => [one.file, resourcePage(one)] as const);
  const others = OTHERS.map(([file, , text]) => [file, text()] as const);
  const marked = [...resources, ...others].map(([file, text]) => [file, `${NOTE}\n${text}`] as const);
  return new Map([...marked, ["README.md", `${NOTE}\n${indexPage()}`]]);
}

const NOTE = "<!-- Made by `npm run docs` from the comments and tables of the code. Edit those. -->";

const indexPage = (): string =>
  page(
    "# Reference",
    "Made from the comments and tables of the code. Sections such as 4.1 are those of [the platform's interface](../interface.md).",
    table(
      ["Page", "What"],
      [
        ...RESOURCE_PAGES.map(({ file, name, what }) => [`[${file}](${file})`, `${name}: ${what}`]),
        ...OTHERS.map(([file, what]) => [`[${file}](${file})`, what]),
      ],
    ),
  );
