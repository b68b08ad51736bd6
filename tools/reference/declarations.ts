import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

/** Reads the provider's public interfaces, classes and functions with their doc comments, from the syntax alone. */

interface Doc {
  readonly text: string;
  /** Other tags by name, such as `@default`, `@change` and `@returns`. */
  readonly tags: Readonly<Record<string, string>>;
  /** The `@param` tags, by the parameter's name. */
  readonly params: Readonly<Record<string, string>>;
}

export interface Member {
  readonly name: string;
  /** The type as written, without Input, Output and undefined. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly doc: Doc;
}

export interface Declaration {
  readonly name: string;
  readonly doc: Doc;
  /** An interface's members, a class's outputs or a function's parameters. `find` appends inherited members. */
  readonly members: readonly Member[];
  readonly bases: readonly string[];
}

export const root = resolve(__dirname, "../..");

function declarationsIn(file: string): Declaration[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.ES2022, true);
  return source.statements.flatMap(toDeclaration);
}

function toDeclaration(node: ts.Statement): Declaration[] {
  const isDeclared = ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) || ts.isFunctionDeclaration(node);
  if (!isDeclared || node.name === undefined) {
    return [];
  }
  const members = ts.isFunctionDeclaration(node) ? node.parameters : node.members;
  return [
    {
      name: node.name.text,
      doc: docOf(node),
      members: [...members].flatMap(toMember),
      bases: ts.isInterfaceDeclaration(node) ? basesOf(node) : [],
    },
  ];
}

const basesOf = ({ heritageClauses = ts.factory.createNodeArray() }: ts.InterfaceDeclaration): string[] =>
  heritageClauses.flatMap(({ types }) => types.map(({ expression }) => expression.getText()));

function toMember(node: ts.Node): Member[] {
  const isMember = ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) || ts.isParameter(node);
  if (!isMember || node.type === undefined || !ts.isIdentifier(node.name)) {
    return [];
  }
  const isOptional = node.questionToken !== undefined || acceptsUndefined(node.type);
  return [{ name: node.name.text, type: typeText(node.type), isRequired: !isOptional, doc: docOf(node) }];
}

// --- comments

function docOf(node: ts.Node): Doc {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).slice(-1);
  const tags = [...(comment?.tags ?? [])];
  const textOf = (tag: ts.JSDocTag) => joined(ts.getTextOfJSDocComment(tag.comment));
  return {
    text: ts.getTextOfJSDocComment(comment?.comment)?.trim() ?? "",
    tags: Object.fromEntries(
      tags.filter((tag) => !ts.isJSDocParameterTag(tag)).map((tag) => [tag.tagName.text, textOf(tag)]),
    ),
    params: Object.fromEntries(
      tags.filter(ts.isJSDocParameterTag).map((tag) => [tag.name.getText(), textOf(tag).replace(/^-\s*/, "")]),
    ),
  };
}

export const joined = (text: string | undefined): string => (text ?? "").replace(/\s*\n\s*/g, " ").trim();

// --- types

const WRAPPERS = new Set(["Input", "Output", "Readonly"]);

function acceptsUndefined(node: ts.TypeNode): boolean {
  if (node.kind === ts.SyntaxKind.UndefinedKeyword) {
    return true;
  }
  if (ts.isUnionTypeNode(node)) {
    return node.types.some(acceptsUndefined);
  }
  const inner = wrapped(node);
  return inner !== undefined && acceptsUndefined(inner);
}

function wrapped(node: ts.TypeNode): ts.TypeNode | undefined {
  if (!ts.isTypeReferenceNode(node)) {
    return undefined;
  }
  const name = ts.isQualifiedName(node.typeName) ? node.typeName.right.text : node.typeName.text;
  return WRAPPERS.has(name) ? node.typeArguments?.[0] : undefined;
}

/** The type as a reader thinks of it: `InboundAgentArgs[]` for `Input<Input<InboundAgentArgs>[] | undefined>`. */
function typeText(node: ts.TypeNode): string {
  const inner = wrapped(node);
  if (inner !== undefined) {
    return typeText(inner);
  }
  if (ts.isParenthesizedTypeNode(node)) {
    return `(${typeText(node.type)})`;
  }
  if (ts.isTypeOperatorNode(node)) {
    return typeText(node.type);
  }
  if (ts.isArrayTypeNode(node)) {
    return `${elementText(typeText(node.elementType))}[]`;
  }
  if (ts.isUnionTypeNode(node)) {
    const parts = node.types.filter(({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword).map(typeText);
    return [...new Set(parts)].join(" | ");
  }
  if (ts.isTypeReferenceNode(node) && node.typeArguments !== undefined) {
    return `${node.typeName.getText()}<${node.typeArguments.map(typeText).join(", ")}>`;
  }
  return node.getText();
}

const elementText = (text: string): string => (text.includes(" | ") && !text.startsWith("(") ? `(${text})` : text);

// --- all declarations

const SOURCES = [
  "provider/numberAssignment.ts",
  "provider/numberGroup.ts",
  "provider/communityVoice.ts",
  "provider/smsChat.ts",
  "provider/routing/types.ts",
  "provider/routing/rollout.ts",
];

/**
 * Declarations by name. The list is reversed, so that an overloaded function's first signature wins, because that one
 * has the comment.
 */
const declarations = new Map(
  SOURCES.flatMap(declarationsIn)
    .map((declaration) => [declaration.name, declaration] as const)
    .reverse(),
);

/** Undefined if the type is not in the reference, for example an SDK type. */
export function find(name: string): Declaration | undefined {
  const found = declarations.get(name);
  return found && { ...found, members: membersOf(found) };
}

export function need(name: string): Declaration {
  const found = find(name);
  if (found === undefined) {
    throw new Error(`${name} is not declared in any file that the reference is made from.`);
  }
  return found;
}

/** Includes inherited members, except those from the SDK. */
const membersOf = ({ members, bases }: Declaration): Member[] => [
  ...members,
  ...bases.flatMap((base) => declarations.get(base) ?? []).flatMap(membersOf),
];
