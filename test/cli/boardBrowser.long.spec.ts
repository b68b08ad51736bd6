import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { boardCommand } from "../../cli/commands/board";
import { type Tab, withChromium } from "../../tools/chromium";
import { group, type RecordedStack, withRecorded } from "./recorded";
import { runWith } from "./terminal";

/**
 * Tests the board in a real browser: its requests, scripts and readability. The tests fail if no browser is installed.
 */

async function pageOf(stacks: Readonly<Record<string, RecordedStack>>): Promise<string> {
  const names = Object.keys(stacks).flatMap((name) => ["--stack", name]);
  const { stdout } = await withRecorded(stacks, (world) => runWith(boardCommand.run, names, world));
  return stdout;
}

/** Serves a page while a test uses a browser tab. `paths` collects the paths that the browser requests. */
async function withPage(page: string, test: (tab: Tab, url: string, paths: readonly string[]) => Promise<void>) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await withChromium((tab) => test(tab, `http://127.0.0.1:${(server.address() as AddressInfo).port}/board`, paths));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Returns the messages and errors that the browser has logged, and the dialogs that scripts have opened. */
const complaints = ({ events }: Tab) =>
  events
    .filter(({ method }) =>
      /^(Log\.entryAdded|Runtime\.(consoleAPICalled|exceptionThrown)|Page\.javascriptDialogOpening)$/.test(method),
    )
    .map(({ method, params }) => `${method} ${JSON.stringify(params)}`);

const requests = ({ events }: Tab) =>
  events
    .filter(({ method }) => method === "Network.requestWillBeSent")
    .map(({ params }) => String((params.request as { url: string }).url));

const evil = `"><img src=/leak onerror=alert(1)><script>alert(2)</script><style>*{color:red}</style>`;
const front = { stable: "agent_front@12", candidate: "agent_front@13", percent: 10 };
const entries = [
  group("support", "1\tLondon\n2\n", { rollout: { name: "front", ...front }, since: "2026-11-23T09:02:00Z" }),
  group(evil, `3\t${evil}\n`, { inboundAgents: { [evil]: 100 }, unapplied: [{ numbers: "3\n", reason: "unknown" }] }),
];
const STACKS = {
  prod: { state: { entries }, config: { "agent-platform:rollouts": JSON.stringify({ front }) } },
};

describe("the board in a browser", () => {
  it("shows readable text on a narrow screen in light and dark mode", async () => {
    await withPage(await pageOf(STACKS), async (tab, url, paths) => {
      const narrow = { width: 320, height: 640, deviceScaleFactor: 1, mobile: true };
      await tab.send("Emulation.setDeviceMetricsOverride", narrow);
      for (const scheme of ["light", "dark"]) {
        await tab.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
        await tab.open(url);
        assert.deepEqual(await tab.evaluate(`globalThis.__name = (value) => value; (${tooFaint.toString()})()`), []);
      }
      // The page itself must not scroll sideways.
      assert.equal(await tab.evaluate("document.documentElement.scrollWidth"), 320);
      assert.match(`${await tab.evaluate("document.querySelector('h1').textContent")}`, /^phones: /);
      assert.equal(await tab.evaluate("document.querySelectorAll('img, script').length"), 0);
      assert.deepEqual(
        [requests(tab), paths],
        [
          [url, url],
          ["/board", "/board"],
        ],
      );
      assert.deepEqual(complaints(tab), []);
    });
  });

  it("blocks injected scripts even if names are not escaped", async () => {
    const page = (await pageOf(STACKS)).replace("<main>", `<main><p>${evil.slice(2)}</p>`);
    await withPage(page, async (tab, url, paths) => {
      await tab.open(url);
      assert.equal(await tab.evaluate("document.querySelectorAll('img').length"), 1);
      assert.deepEqual(paths, ["/board"]);
      const messages = complaints(tab).join("\n");
      assert.match(messages, /Content Security Policy/);
      assert.doesNotMatch(messages, /^Page\.javascriptDialogOpening/m);
    });
  });
});

/**
 * Returns the elements whose text has less contrast than WCAG AA requires. The function runs in the browser, so it
 * can't use anything else from this file.
 */
function tooFaint(): string[] {
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number).map((value) => {
      const part = value / 255;
      return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const { document, getComputedStyle } = globalThis as unknown as {
    document: { querySelectorAll(selector: string): Iterable<PageElement> };
    getComputedStyle(element: PageElement): { color: string; backgroundColor: string };
  };
  const background = (element: PageElement | null): string => {
    const color = element === null ? "rgb(255, 255, 255)" : getComputedStyle(element).backgroundColor;
    return element === null || !/, 0\)$/.test(color) ? color : background(element.parentElement);
  };
  return [...document.querySelectorAll("body *")]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== ""))
    .flatMap((element) => {
      const [dark = 0, light = 0] = [getComputedStyle(element).color, background(element)]
        .map(luminance)
        .sort((a, b) => a - b);
      const contrast = (light + 0.05) / (dark + 0.05);
      return contrast >= 4.5
        ? []
        : [`${element.tagName} "${element.textContent.slice(0, 40)}": ${contrast.toFixed(2)}`];
    });
}

interface PageElement {
  readonly tagName: string;
  readonly textContent: string;
  readonly parentElement: PageElement | null;
  readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string }>;
}
