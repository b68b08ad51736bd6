import type * as pulumi from "@pulumi/pulumi";

/** The class of a kind of resource, as a program sees it. */
export interface ResourceClass<Args extends object, Resource extends pulumi.CustomResource> {
  new (name: string, args: Args, opts?: pulumi.CustomResourceOptions): Resource;
  readonly prototype: Resource;
}
