import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../tools/reference/declarations";

/** What the words of CONTRIBUTING.md replace, by the row: only what is wrong in every sentence. */
export const REPLACED: Readonly<Record<string, RegExp>> = {
  routing: /\bbindings?\b/i,
  "traffic split; weight, percentage":
    /\b(?<!(they|numbers|stacks|tests|that|nothing) )shares?\b|\b(would|may|can) hold \d|\bholds? (at most )?\d+ ?%/i,
  "rollout: stable, candidate, percent, steps": /\bladders?\b|\barms?\b|\b(rollout|canary) (stage|phase)s?\b/i,
  "promote, abort": /\broll(s|ed|ing)? forward\b/i,
  "moves 20 points, size of a change":
    /\bsteps? of (at most|more than|\d)|\b(small|smaller|large|larger|big) steps?\b/i,
  overwrite:
    /\b(take|takes|taken|taking|took) overs?\b|\btakes? (it|them|numbers?) over\b|\bwhat(ever)? stands there\b/i,
  "onboard existing numbers": /\btake-over\b|\ba takeover\b/i,
  "adopt a voice or a chat": /\bimport (a|the|your) (voice|chat)|\btakes? .{0,30}\binto the state\b/i,
  "unassign agents, clear a field": /\bbound\b|\bis gone\b|\bare gone\b|\bline is cut\b/i,
  "outcome unknown → unresolved → resolve": /\bsettl(e|es|ed|ing)\b|\bmarked as unknown\b/i,
  "guard, CI gate; both block": /\b(trips|tripped|to trip)\b/i,
  bypass:
    /\blets? (it |this |that )?pass\b|\bopens? (the|every|all|its) guards?\b|\boverrid(e|es|ing) (a|the|every|all) guards?\b/i,
  "response (agents answer calls)":
    /\b(?<!(agents?|who|it|they|that|which|versions?|nobody|\d+) (never |then )?)answer(s|ed|ing)?\b(?! (your|the phone|calls?|a call|phone|its|which|inbound|each number|number))/i,
  "the API has no, does not specify":
    /\b(does|do|did) not show (it|whether|what|which|how|their|these|the names)\b|\bshows no (way|endpoint)\b|\bnot shown\b/i,
  fix: /\bmend(s|ed|ing)?\b/i,
  "phone number, number": /\b(phone|dead|declared|a declared) lines?\b/i,
  group: /\bfleets?\b/i,
};

/** The first column of the page's table of words. */
export const glossaryRows = (): string[] =>
  [...readFileSync(join(root, "CONTRIBUTING.md"), "utf8").matchAll(/^\| ([^|]+?) \|/gm)]
    .map(([, use = ""]) => use)
    .slice(2);

/** Every word of a text that the glossary replaces, with what to write. */
export function replacedWords(text: string): string[] {
  return Object.entries(REPLACED).flatMap(([use, replaced]) =>
    [...text.matchAll(new RegExp(replaced, "gi"))].map(
      ({ 0: found, index }) => `"${found}" → ${use}: …${around(text, index, found.length)}…`,
    ),
  );
}

const around = (text: string, at: number, length: number): string =>
  text.slice(Math.max(0, at - 40), at + length + 40).replace(/\s+/g, " ");
