import { UsageError } from "../../io";

/**
 * Sets keys in the text of a `Pulumi.<stack>.yaml`, line by line: comments and secrets stay as they are. Every value is quoted, for a
 * bare `null` or `true` is no text in YAML.
 */
export function withSettings(text: string, settings: Readonly<Record<string, string>>): string {
  const lines = text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
  const start = lines.findIndex((line) => /^config:\s*(#.*)?$/.test(line));
  if (start < 0) {
    if (lines.some((line) => /^\s*["']?config["']?\s*:/.test(line) || line.trimStart().startsWith("{"))) {
      throw new UsageError(
        "the config file is not written as `pulumi config set` writes it. Use the printed commands instead.",
      );
    }
    return joined([...lines, "config:", ...entries(settings, "  ")]);
  }
  const length = lines.slice(start + 1).findIndex((line) => /^\S/.test(line) && !line.startsWith("#"));
  const end = length < 0 ? lines.length : start + 1 + length;
  const block = lines.slice(start + 1, end);
  const indent = /^(\s+)\S/.exec(block.find((line) => /^\s+[^\s#]/.test(line)) ?? "")?.[1] ?? "  ";
  return joined([...lines.slice(0, start + 1), ...replaced(block, settings, indent), ...lines.slice(end)]);
}

function replaced(block: readonly string[], settings: Readonly<Record<string, string>>, indent: string): string[] {
  const left = { ...settings };
  const kept = block.flatMap((line) => {
    const key = Object.keys(left).find((name) => line.startsWith(`${indent}${name}:`));
    if (key === undefined) {
      return [line];
    }
    const value = left[key] ?? "";
    delete left[key];
    return entries({ [key]: value }, indent);
  });
  return [...kept, ...entries(left, indent)];
}

const entries = (settings: Readonly<Record<string, string>>, indent: string): string[] =>
  Object.entries(settings).map(([key, value]) => `${indent}${key}: ${JSON.stringify(value)}`);

const joined = (lines: readonly string[]): string => `${lines.join("\n")}\n`;
