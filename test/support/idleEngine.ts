import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

let address: Promise<string> | undefined;

/** Where a provider finds its engine, which says nothing: a provider process ends without one. */
export function idleEngine(): Promise<string> {
  address ??= listen();
  return address;
}

async function listen(): Promise<string> {
  const server = createServer((socket) => socket.on("error", () => {}).unref()).unref();
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
