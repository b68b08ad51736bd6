import type { Link, Origin } from "../history/origin";
import { timeText } from "../stack/time";
import { type Html, html } from "./html";

/** What several sections of the page have. */

/** A time for people and for programs. */
export const timeHtml = (at: Date, text = timeText(at)): Html =>
  html`<time datetime="${at.toISOString()}">${text}</time>`;

/** The same in a table whose column says that its times are in UTC. */
export const cellTime = (at: Date): Html => timeHtml(at, timeText(at).replace(" UTC", ""));

/** What may be wider than a small screen: a keyboard can scroll it. */
export const scrolled = (label: string, content: Html): Html =>
  html`<div class="card wide" role="region" aria-label="${label}" tabindex="0">${content}</div>`;

/** The title of the commit, with links. */
export function why({ title, commit, pullRequest, isDirty }: Origin): Html {
  const links = [pullRequest, commit].filter((one) => one !== undefined).map(link);
  const joined = links.map((one, index) => html`${index > 0 && ", "}${one}`);
  const dirty = isDirty && html` <span class="wait">+ uncommitted changes</span>`;
  return html`${title}${links.length > 0 && html` <span class="soft">(${joined})</span>`}${dirty}`;
}

const link = ({ text, url }: Link): Html =>
  url === undefined ? html`${text}` : html`<a href="${url}" rel="noreferrer">${text}</a>`;
