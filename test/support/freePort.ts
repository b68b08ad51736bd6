import { createServer } from "node:net";
import { closeAll, listen } from "./rawServer";

/** Of loopback, and nothing listens there. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await closeAll(server, []);
  return port;
}
