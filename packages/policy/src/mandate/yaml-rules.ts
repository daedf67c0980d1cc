/**
 * Finds things that YAML allows but a mandate file may not contain, because programs or people could read them
 * differently than intended. Each fault has its place. The search takes time linear in the document.
 */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  type Pair,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import { shorten } from '../arguments/argument-fault.ts';
import { inexactness } from './exact-number.ts';
import { MAX_DEPTH, TOO_DEEP, type YamlFault } from './yaml-bounds.ts';

/** Keys that every JavaScript object inherits or treats specially. An entry with such a key could be lost. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/** Errors of the parser about a single word. The text after the word is still parsed correctly. */
const OF_ONE_WORD: ReadonlySet<string> = new Set(['BAD_ALIAS', 'BAD_DQ_ESCAPE', 'BAD_SCALAR_START']);

export function yamlFaults(document: Document): readonly YamlFault[] {
  const broken = brokenYaml(document);
  const found = new Set(broken.map(({ offset }) => offset));
  const trustedUpTo = Math.min(...broken.filter(({ breaks }) => breaks).map(({ offset }) => offset));
  return [
    ...broken,
    ...ambiguities(document).filter(({ offset }) => offset < trustedUpTo && !found.has(offset)),
  ];
}

/** Returns the errors of the parser. `breaks`: true if the places of everything after the error are uncertain. */
function brokenYaml(document: Document): (YamlFault & { breaks: boolean })[] {
  const faults = [...document.errors, ...document.warnings].map(({ pos, code, message }) => ({
    offset: pos[0],
    breaks: !OF_ONE_WORD.has(code),
    message: /call stack/.test(message)
      ? TOO_DEEP
      : shorten(code === 'BAD_ALIAS' ? `${message}; ${QUOTE_THE_STAR}` : message, LONGEST_MESSAGE),
  }));
  if (document.directives?.yaml.version === '1.1') {
    faults.push({
      offset: 0,
      breaks: true,
      message: 'must be YAML 1.2: in YAML 1.1, 1:30 is a number and yes is a boolean',
    });
  }
  return faults;
}

const LONGEST_MESSAGE = 200;
const QUOTE_THE_STAR = 'a glob that begins with * needs quotes: "*"';

function ambiguities(document: Document): YamlFault[] {
  const faults: YamlFault[] = [];
  const say = (node: unknown, message: string) => {
    faults.push({ offset: (isNode(node) ? node.range?.[0] : undefined) ?? 0, message });
  };
  const anchors = new Set<string>();
  visit(document, (_key, node, path) => {
    if (isCollection(node) && depthOf(path) >= MAX_DEPTH) {
      say(node, TOO_DEEP);
      return visit.BREAK;
    }
    if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) anchors.add(node.anchor);
    if (isAlias(node)) {
      const within = path.some((parent) => isCollection(parent) && parent.anchor === node.source);
      if (within) say(node, `*${node.source} is inside &${node.source} itself`);
      else if (!anchors.has(node.source)) {
        say(
          node,
          `*${node.source} refers to no anchor; a glob that begins with * needs quotes: "*${node.source}"`,
        );
      }
    }
    if (isScalar(node)) {
      const message = inexact(node);
      if (message !== null) say(node, message);
    }
    if (isMap(node)) keyFaults(node, say);
    return undefined;
  });
  return faults;
}

/** Returns the number of collections that contain the node. */
function depthOf(path: readonly unknown[]): number {
  return path.filter(isCollection).length;
}

function inexact({ value, source }: Scalar): string | null {
  return typeof value === 'number' ? inexactness(source ?? String(value), value) : null;
}

function keyFaults(map: YAMLMap, say: (node: unknown, message: string) => void): void {
  const seen = new Set<string>();
  for (const { key } of map.items.filter((item): item is Pair => isPair(item))) {
    if (!isScalar(key) || typeof key.value !== 'string') {
      say(isNode(key) ? key : map, 'a key must be a text: write it in quotes');
      continue;
    }
    if (RESERVED.has(key.value)) say(key, `"${key.value}" cannot be used as a key`);
    if (seen.has(key.value))
      say(key, `"${key.value}" is used twice here: the second would replace the first`);
    seen.add(key.value);
  }
}
