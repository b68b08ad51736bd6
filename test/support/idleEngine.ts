import { createServer } from "node:net";
import { listen } from "./rawServer";

let port: Promise<number> | undefined;

/** Where a provider finds its engine, which says nothing: a provider process ends without one. */
export async function idleEngine(): Promise<string> {
  port ??= listen(createServer((socket) => socket.on("error", () => {}).unref()).unref());
  return `127.0.0.1:${await port}`;
}
