import { isLoopbackHost } from "../core/endpoint";

type Environment = Readonly<Record<string, string | undefined>>;

/** `host`, `.host`, `*.host` and `host:port` cover the host and what is below it; `*` covers all. */
function covers(entry: string, hostname: string, port: string): boolean {
  if (entry === "*") {
    return true;
  }
  const [, name = "", entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry.startsWith("[") ? entry : bracketed(entry)) ?? [];
  const suffix = name.replace(/^\*?\./, "");
  const matches = suffix !== "" && (hostname === suffix || hostname.endsWith(`.${suffix}`));
  return matches && (entryPort === undefined || entryPort === port);
}

/** An IPv6 address without brackets has colons that are no port. */
function bracketed(entry: string): string {
  return entry.split(":").length > 2 ? `[${entry}]` : entry;
}

function isExempt(noProxy: string, url: URL): boolean {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const entries = noProxy.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => entry !== "" && covers(entry, url.hostname, port));
}

/**
 * Why no request may be sent in this environment, or undefined. got knows no proxy variables: it would go round a proxy
 * that the operator relies on, so a proxy that applies to the host is refused aloud (F47). The variable's value may hold
 * credentials and is never shown.
 */
export function proxyRefusal(baseUrl: string, env: Environment): string | undefined {
  const url = new URL(baseUrl);
  if (isLoopbackHost(url.hostname)) {
    return undefined;
  }
  const own = url.protocol === "https:" ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  const variable = [...own, "ALL_PROXY", "all_proxy"].find((name) => (env[name] ?? "").trim() !== "");
  if (variable === undefined || isExempt(`${env.NO_PROXY ?? ""},${env.no_proxy ?? ""}`, url)) {
    return undefined;
  }
  return `${variable} names a proxy for ${url.host}, and this client uses none: add ${url.hostname} to NO_PROXY, or unset ${variable}.`;
}
