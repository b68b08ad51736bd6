import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { root } from "../../tools/reference/declarations";
import { pages, pageText } from "./blocks";

/** Checks the links between pages. */

/** Matches links and images in Markdown, and images in HTML, including their sources for dark mode. */
const LINK = /\[[^\]]*\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"]+)"/g;

const withoutCode = (text: string): string => text.replace(/^( *)```[\s\S]*?^\1```$/gm, "").replace(/`[^`\n]*`/g, "");

/** Returns the page's links whose targets don't exist. */
export function brokenLinks(page: string): string[] {
  const targets = [...withoutCode(pageText(page)).matchAll(LINK)].map(([, target, source = ""]) => target ?? source);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target) && !isThere(page, target))
    .map((target) => `${page}: ${target}`);
}

function isThere(page: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : relative(root, resolve(root, dirname(page), path));
  if (!existsSync(join(root, file))) {
    return false;
  }
  return anchor === undefined || anchorsOf(file).includes(anchor);
}

/** Returns the anchor that GitHub creates for a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replace(/ /g, "-");

const anchorsOf = (page: string): string[] =>
  [...pageText(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));

/** Returns the pages that no page links to. */
export function orphans(): string[] {
  const reached = new Set(
    [...pages, "README.md"].flatMap((page) =>
      [...pageText(page).matchAll(LINK)].map(([, target = ""]) =>
        relative(root, resolve(root, dirname(page), target.split("#")[0] ?? "")),
      ),
    ),
  );
  return pages.filter((page) => !reached.has(page));
}
