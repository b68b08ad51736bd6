import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Tab, withChromium } from "../support/chromium";

/**
 * Pictures of a page as people see it: light, dark, on a phone, without script and on paper.
 * node -r tsx/cjs test/cli/pagePicturesByHand.ts board.html pictures/
 */

const LOOKS = {
  light: { width: 1200, scheme: "light", script: true },
  dark: { width: 1200, scheme: "dark", script: true },
  narrow: { width: 320, scheme: "light", script: true },
  "without-script": { width: 1200, scheme: "light", script: false },
} as const;

async function picture(tab: Tab, url: string, { width, scheme, script }: (typeof LOOKS)[keyof typeof LOOKS]) {
  await tab.send("Emulation.setScriptExecutionDisabled", { value: !script });
  await tab.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  await tab.send("Emulation.setDeviceMetricsOverride", {
    width,
    height: 2600,
    deviceScaleFactor: 1,
    mobile: width < 500,
  });
  await tab.open(url);
  const { data } = await tab.send("Page.captureScreenshot", { format: "png" });
  return Buffer.from(String(data), "base64");
}

async function main([file = "", folder = "."]: readonly string[]): Promise<void> {
  const url = pathToFileURL(resolve(file)).href;
  mkdirSync(folder, { recursive: true });
  await withChromium(async (tab) => {
    for (const [name, look] of Object.entries(LOOKS)) {
      writeFileSync(join(folder, `${name}.png`), await picture(tab, url, look));
    }
    await tab.send("Emulation.setScriptExecutionDisabled", { value: false });
    const { data } = await tab.send("Page.printToPDF", {
      printBackground: false,
      paperWidth: 8.27,
      paperHeight: 11.69,
    });
    writeFileSync(join(folder, "print.pdf"), Buffer.from(String(data), "base64"));
  });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.exitCode = 1;
  throw error;
});
