import { repository } from "../../package.json";

/** Where the project is on the web: package.json says it once, and npm holds a release's provenance against it. */

/** `owner/name` on GitHub. */
export const SLUG = /github\.com\/(?<slug>[^/]+\/[^/]+)\.git$/.exec(repository.url)?.groups?.slug ?? missing();

export const HOME = `https://github.com/${SLUG}`;

/** A picture as it is, not the page around it. */
export const picture = (path: string): string => `https://raw.githubusercontent.com/${SLUG}/main/${path}`;

/** The module of the SDK for Go, which Pulumi makes on the machine of whoever uses it. */
export const GO_MODULE = `github.com/${SLUG}/sdk/go`;

function missing(): never {
  throw new Error("package.json names no repository on GitHub.");
}
