import { BlockList, isIP } from "node:net";
import { isLoopbackHost } from "../core/platform/endpoint";

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy that requests go through. Its `url` may hold a user name and a password, so it is never shown; `host` is. */
export interface ProxyServer {
  readonly url: URL;
  /** `host:port`, as messages name it. */
  readonly host: string;
}

export type ProxyChoice =
  | { readonly proxy: ProxyServer | undefined; readonly problem?: undefined }
  | { readonly problem: string; readonly proxy?: undefined };

const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80");

/** A server as messages name it. */
export const hostAndPort = (url: URL): string => `${url.hostname}:${portOf(url)}`;

const DIRECT: ProxyChoice = { proxy: undefined };
/** The first that is set counts. */
const VARIABLES = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/** `host`, `.host`, `*.host` and `host:port` cover the host and what is below it, `10.0.0.0/8` a network, `*` everything. */
function covers(entry: string, hostname: string, port: string): boolean {
  if (entry === "*") {
    return true;
  }
  if (entry.includes("/")) {
    return coversNetwork(entry, hostname.replace(/^\[|\]$/g, ""));
  }
  const [, name = "", entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry.startsWith("[") ? entry : bracketed(entry)) ?? [];
  const suffix = canonical(name.replace(/^\*?\./, ""));
  const host = canonical(hostname);
  const matches = suffix !== "" && (host === suffix || host.endsWith(`.${suffix}`));
  return matches && (entryPort === undefined || entryPort === port);
}

/** The usual spelling: a name without a dot at its end, an address of version 6 as `URL` writes it. */
function canonical(name: string): string {
  const address = name.replace(/^\[|\]$/g, "");
  const asUrl = `http://[${address}]`;
  return isIP(address) === 6 && URL.canParse(asUrl) ? new URL(asUrl).hostname : name.replace(/\.$/, "");
}

function coversNetwork(entry: string, address: string): boolean {
  const [network = "", prefix = ""] = entry.split("/");
  const version = isIP(network);
  if (
    version === 0 ||
    version !== isIP(address) ||
    !/^\d{1,3}$/.test(prefix) ||
    Number(prefix) > (version === 4 ? 32 : 128)
  ) {
    return false;
  }
  const type = version === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), type);
  return list.check(address, type);
}

/** The colons of an IPv6 address without brackets do not begin a port. */
function bracketed(entry: string): string {
  return entry.split(":").length > 2 ? `[${entry}]` : entry;
}

function isExempt(noProxy: string, url: URL): boolean {
  const entries = noProxy.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => entry !== "" && covers(entry, url.hostname, portOf(url)));
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function problemOf(url: URL, target: URL): string | undefined {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return "must begin with http:// or https://: this client knows no other kind of proxy";
  }
  if (url.hostname.startsWith("[") || target.hostname.startsWith("[")) {
    return "names a proxy, and the proxy or the base URL is an address of version 6, which is not supported there: write a host name";
  }
  return canDecode(url.username) && canDecode(url.password)
    ? undefined
    : "has a stray % in its user name or password: write it as %25";
}

/** Problems do not show the value, which may hold a password. */
function readProxy(variable: string, value: string, target: URL): ProxyChoice {
  const text = value.includes("://") ? value : `http://${value}`;
  if (!URL.canParse(text) || new URL(text).hostname === "") {
    return { problem: `${variable} cannot be read as the address of a proxy: write it as http://host:port.` };
  }
  const url = new URL(text);
  const problem = problemOf(url, target);
  return problem === undefined ? { proxy: { url, host: hostAndPort(url) } } : { problem: `${variable} ${problem}.` };
}

/**
 * The proxy that requests to the base URL go through, by the variables that curl and most tools read: HTTPS_PROXY, or ALL_PROXY if
 * HTTPS_PROXY is not set, unless NO_PROXY covers the host; upper case before lower case. HTTP_PROXY is not read, because only loopback may
 * use http, and loopback is always reached directly.
 */
export function chooseProxy(baseUrl: string, env: Environment): ProxyChoice {
  const url = new URL(baseUrl);
  if (isLoopbackHost(url.hostname)) {
    return DIRECT;
  }
  const variable = VARIABLES.find((name) => (env[name] ?? "").trim() !== "");
  if (variable === undefined || isExempt(`${env.NO_PROXY ?? ""},${env.no_proxy ?? ""}`, url)) {
    return DIRECT;
  }
  return readProxy(variable, (env[variable] ?? "").trim(), url);
}
