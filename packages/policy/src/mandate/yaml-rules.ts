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
  isSeq,
  type Pair,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import { shorten } from '../arguments/argument-fault.ts';
import { inexactness } from './exact-number.ts';
import { MAX_DEPTH, TOO_DEEP, type YamlFault } from './yaml-bounds.ts';
import { withRemedy } from './yaml-remedies.ts';

/**
 * A fault with the field that it is about. `about`: a key that occurs twice in one map, or a number that cannot be
 * stored as it is written. Null: the text as a whole. `pathOf` is a function, because only a few faults are shown.
 * `breaks`: true if the places of everything after the fault are uncertain.
 */
export type YamlRuleFault = YamlFault & {
  about: 'key' | 'number' | null;
  breaks: boolean;
  pathOf: () => readonly PropertyKey[];
};

/** Keys that every JavaScript object inherits or treats specially. An entry with such a key could be lost. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/** Errors of the parser about a single word. The text after the word is still parsed correctly. */
const OF_ONE_WORD: ReadonlySet<string> = new Set(['BAD_ALIAS', 'BAD_DQ_ESCAPE', 'BAD_SCALAR_START']);

export function yamlFaults(document: Document): readonly YamlRuleFault[] {
  const broken = brokenYaml(document);
  const found = new Set(broken.map(({ offset }) => offset));
  const trustedUpTo = Math.min(...broken.filter(({ breaks }) => breaks).map(({ offset }) => offset));
  return [
    ...broken,
    ...ambiguities(document).filter(({ offset }) => offset < trustedUpTo && !found.has(offset)),
  ];
}

/** Returns the errors of the parser. */
function brokenYaml(document: Document): YamlRuleFault[] {
  const faults: YamlRuleFault[] = [...document.errors, ...document.warnings].map(
    ({ pos, code, message }) => ({
      ...OF_THE_WHOLE,
      offset: pos[0],
      breaks: !OF_ONE_WORD.has(code),
      message: /call stack/.test(message) ? TOO_DEEP : withRemedy(code, shorten(message, LONGEST_MESSAGE)),
    }),
  );
  if (document.directives?.yaml.version === '1.1') {
    faults.push({
      ...OF_THE_WHOLE,
      offset: 0,
      breaks: true,
      message: 'must be YAML 1.2: in YAML 1.1, 1:30 is a number and yes is a boolean',
    });
  }
  return faults;
}

const OF_THE_WHOLE = { about: null, pathOf: () => [] } as const;
const LONGEST_MESSAGE = 200;

type Say = (node: unknown, message: string, of?: Pick<YamlRuleFault, 'about' | 'pathOf'>) => void;

function ambiguities(document: Document): YamlRuleFault[] {
  const faults: YamlRuleFault[] = [];
  const say: Say = (node, message, of = OF_THE_WHOLE) => {
    faults.push({ ...of, breaks: false, offset: (isNode(node) ? node.range?.[0] : undefined) ?? 0, message });
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
      if (message !== null) say(node, message, { about: 'number', pathOf: () => pathTo(path, node) });
    }
    if (isMap(node)) keyFaults(node, () => pathTo(path, node), say);
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

/** Returns the names and indexes that lead to a node. `parents` are the nodes that contain it, the outermost first. */
function pathTo(parents: readonly unknown[], node: unknown): readonly PropertyKey[] {
  return parents.flatMap((parent, at): readonly PropertyKey[] => {
    if (isPair(parent)) return [isScalar(parent.key) ? String(parent.key.value) : ''];
    return isSeq(parent) ? [parent.items.indexOf(parents[at + 1] ?? node)] : [];
  });
}

function keyFaults(map: YAMLMap, pathOfMap: () => readonly PropertyKey[], say: Say): void {
  const seen = new Set<string>();
  for (const { key } of map.items.filter((item): item is Pair => isPair(item))) {
    if (!isScalar(key) || typeof key.value !== 'string') {
      say(isNode(key) ? key : map, 'a key must be a text: write it in quotes');
      continue;
    }
    const name = key.value;
    if (RESERVED.has(key.value)) say(key, `"${name}" cannot be used as a key`);
    if (seen.has(key.value)) {
      const pathOf = () => [...pathOfMap(), name];
      say(key, `"${name}" is used twice here: the second would replace the first`, { about: 'key', pathOf });
    }
    seen.add(name);
  }
}
