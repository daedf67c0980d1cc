/**
 * The text of a key file: a line for each node of the tree, and a checksum at the end. The checksum shows if the file
 * was cut off.
 */
import { createHash } from 'node:crypto';
import { isTree, type KeyNode, type KeyTree } from './key-tree.ts';

export type PersonKeyFile = { readonly indexKey: Uint8Array; readonly tree: KeyTree };

const TITLE = 'mandate person keys 1';
const KEY = '[A-Za-z0-9_-]{43}';
const INDEX = new RegExp(`^index (${KEY})$`);
const NODE = new RegExp(`^(\\d{1,2}) ([0-9a-f]{16}) (${KEY})$`);
const SUM = /^sha256 [0-9a-f]{64}\n$/;
const MOST_DEPTH = 64;

export function keyFileText({ indexKey, tree }: PersonKeyFile): string {
  const nodes = tree.map(({ depth, start, key }) => `${depth} ${digits(start)} ${base64url(key)}\n`);
  const body = `${TITLE}\nindex ${base64url(indexKey)}\n${nodes.join('')}`;
  return `${body}${sumOf(body)}`;
}

/** Returns null if the text is not a key file, or was changed. */
export function readKeyFileText(text: string): PersonKeyFile | null {
  const sum = sumIn(text);
  const body = text.slice(0, text.length - sum.length);
  if (!SUM.test(sum) || sum !== sumOf(body)) return null;
  const [title, index = '', ...lines] = body.slice(0, -1).split('\n');
  const [, indexKey] = INDEX.exec(index) ?? [];
  const tree = lines.flatMap((line) => readNode(line) ?? []);
  const isWhole = title === TITLE && indexKey !== undefined && tree.length === lines.length && isTree(tree);
  return isWhole ? { indexKey: Buffer.from(indexKey, 'base64url'), tree } : null;
}

/** Returns the checksum of the text of a file. */
export function sumIn(text: string): string {
  return text.slice(text.lastIndexOf('\n', text.length - 2) + 1);
}

function readNode(line: string): KeyNode | null {
  const [, depth, start, key] = NODE.exec(line) ?? [];
  if (key === undefined || Number(depth) > MOST_DEPTH) return null;
  return { depth: Number(depth), start: BigInt(`0x${start}`), key: Buffer.from(key, 'base64url') };
}

function sumOf(body: string): string {
  return `sha256 ${createHash('sha256').update(body).digest('hex')}\n`;
}

function digits(start: bigint): string {
  return start.toString(16).padStart(16, '0');
}

function base64url(key: Uint8Array): string {
  return Buffer.from(key).toString('base64url');
}
