import { getProxyForUrl } from "proxy-from-env";
import { isLoopbackHost } from "../core/platform/endpoint";

/** The proxy that requests go through. Its `url` may hold a user name and a password, so it is never shown; `host` is. */
export interface ProxyServer {
  readonly url: URL;
  /** `host:port`, as messages name it. */
  readonly host: string;
}

/** A server as messages name it. */
export const hostAndPort = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;

/** Undefined if hpagent cannot use it: it knows http and https alone, decodes the user name and the password, and cannot connect to `[::1]`. */
function usable(text: string): URL | undefined {
  try {
    const url = new URL(text);
    decodeURIComponent(url.username + url.password);
    return /^https?:$/.test(url.protocol) && !url.hostname.startsWith("[") ? url : undefined;
  } catch {
    return undefined;
  }
}

/** The proxy that the environment names for the base URL. The problem does not show the address, which may hold a password. */
export function chooseProxy(baseUrl: string): { readonly proxy?: ProxyServer; readonly problem?: string } {
  const text = isLoopbackHost(new URL(baseUrl).hostname) ? "" : getProxyForUrl(baseUrl);
  if (text === "") {
    return {};
  }
  const url = usable(text);
  return url === undefined
    ? {
        problem:
          "The address of the proxy in HTTPS_PROXY or ALL_PROXY cannot be used: write it as http://host:port or http://user:password@host:port, with % as %25.",
      }
    : { proxy: { url, host: hostAndPort(url) } };
}
