import type { Advice } from "../core/api/operations";
import { parseBaseUrl } from "../core/platform/endpoint";

/** Where a redirect leads, as far as it may be shown: its path and query may hold secrets. */
export interface Redirect {
  readonly to: string;
  readonly advice: Advice;
}

/** The request that was redirected. Its URL begins with the base URL. */
export interface Redirected {
  readonly url: URL;
  readonly baseUrl: string;
}

const SIGN_IN =
  /\b(?:log|sign)[-_]?(?:in|on)\b|\b(?:sso|oauth2?|saml2?|auth|authori[sz]e|accounts?|sessions?|portal)\b/i;

/** A path before that of the API, as in `https://host/v2`; a longer one may be a secret. */
const PREFIX = /^(?:\/[\w.~-]{1,30}){0,3}$/;

const withoutSlash = (path: string): string => path.replace(/\/$/, "");

/** The base URL at which the same operation is found. */
function baseUrlAt(target: URL, { url, baseUrl }: Redirected): string | undefined {
  const operation = url.href.slice(baseUrl.length);
  const prefix = target.pathname.slice(0, -operation.length);
  return target.pathname.endsWith(operation) && PREFIX.test(prefix) ? target.origin + prefix : undefined;
}

export function readRedirect(location: string | undefined, from: Redirected): Redirect {
  const target =
    location !== undefined && URL.canParse(location, from.url.href) ? new URL(location, from.url.href) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol)) {
    return { to: "no address", advice: { why: "inTheWay", address: from.url.host } };
  }
  const address = baseUrlAt(target, from);
  return address === undefined ? toOtherPath(target, from) : toOperation(address, target, from);
}

function toOperation(address: string, { host, hostname }: URL, { url, baseUrl }: Redirected): Redirect {
  if (address === baseUrl) {
    return { to: "the same address", advice: { why: "inTheWay", address: host } };
  }
  const why = hostname === url.hostname ? "moved" : "movedAway";
  return { to: address, advice: { why: parseBaseUrl(address).url === address ? why : "insecure", address } };
}

function toOtherPath({ host, hostname, origin, pathname }: URL, { url }: Redirected): Redirect {
  if (host === url.host && withoutSlash(pathname) === withoutSlash(url.pathname)) {
    const which = pathname.endsWith("/") ? "with" : "without";
    return { to: `the same path ${which} a slash at its end`, advice: { why: "inTheWay", address: host } };
  }
  if (SIGN_IN.test(`${hostname} ${pathname}`)) {
    return { to: `a page of ${host} to sign in`, advice: { why: "signIn", address: host } };
  }
  return {
    to: host === url.host ? "another path of the same host" : origin,
    advice: { why: "elsewhere", address: host },
  };
}
