/**
 * Finds references in text: links and paths in Markdown, paths in comments, sections of docs/semantics.md, numbers of
 * ADRs. A reference that does not resolve is a fault. So a change that moves a file must also change every text that
 * names it.
 */
import { posix } from 'node:path';

/** Every path of the repository, and the text of the files that are searched for references. */
export type Texts = { paths: readonly string[]; texts: ReadonlyMap<string, string> };

/**
 * Folders and files that texts may name although the repository does not contain them: a script creates them on the
 * operator's machine.
 */
const MADE_BY_SCRIPTS = ['infra/docker/secrets', 'infra/docker/secrets/redis-operator-password'];

/** Returns the references that do not resolve, as `path:line what is wrong`, in order. */
export function brokenReferences({ paths, texts }: Texts): string[] {
  const house = houseOf(paths, texts);
  return [...texts].flatMap(([path, text]) => {
    const check = path.endsWith('.md') ? faultsOfPage : faultsOfSource;
    return linesOf(path, text).flatMap(([line, at]) =>
      [...check(house, path, line), ...faultsOfEveryText(house, line)].map(
        (fault) => `${path}:${at} ${fault}`,
      ),
    );
  });
}

type House = {
  files: ReadonlySet<string>;
  folders: ReadonlySet<string>;
  /** For every file: its name, and all longer ends of its path, such as `step.lua` and `scripts/step.lua`. */
  ends: ReadonlySet<string>;
  /** For each page, by its path: the anchors that links can name. */
  anchors: ReadonlyMap<string, ReadonlySet<string>>;
  /** The numbers of the ADRs. `sections` has the numbers of the sections of docs/semantics.md. */
  adrs: ReadonlySet<number>;
  sections: ReadonlySet<number>;
};

function houseOf(paths: readonly string[], texts: ReadonlyMap<string, string>): House {
  const folders = new Set<string>(MADE_BY_SCRIPTS);
  const ends = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/');
    for (let at = 0; at < parts.length; at += 1) ends.add(parts.slice(at).join('/'));
    for (let at = 1; at < parts.length; at += 1) folders.add(parts.slice(0, at).join('/'));
  }
  const pages = [...texts].filter(([path]) => path.endsWith('.md'));
  const anchors = new Map(pages.map(([path, text]) => [path, anchorsOf(path, text)]));
  const sections = [...(anchors.get('docs/semantics.md') ?? [])].map((anchor) => Number.parseInt(anchor, 10));
  const adrs = paths.map((path) => Number(/^docs\/adr\/(\d{4})-/.exec(path)?.[1]));
  return { files: new Set(paths), folders, ends, anchors, adrs: new Set(adrs), sections: new Set(sections) };
}

/** Returns the anchors of a page, made from its headings as GitHub makes them. */
function anchorsOf(path: string, text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [line] of linesOf(path, text)) {
    const heading = /^#{1,6} +(.*)$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let anchor = slug;
    for (let more = 1; anchors.has(anchor); more += 1) anchor = `${slug}-${more}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Returns the lines of a file, each with its number. In a page, blocks of code are left out. */
function linesOf(path: string, text: string): [line: string, at: number][] {
  let isCode = false;
  return text.split('\n').flatMap((line, at): [string, number][] => {
    if (path.endsWith('.md') && line.trimStart().startsWith('```')) {
      isCode = !isCode;
      return [];
    }
    return isCode ? [] : [[line, at + 1]];
  });
}

function faultsOfPage(house: House, path: string, line: string): string[] {
  const prose = line.replace(/`[^`]*`/g, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const named = [...line.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name);
  return [
    ...links.flatMap((target) => linkFault(house, path, target) ?? []),
    ...named.filter((name) => !isThere(house, name)).map((name) => `names \`${name}\`, which does not exist`),
  ];
}

function linkFault({ files, folders, anchors }: House, path: string, target: string): string | null {
  if (/^[a-z]+:/.test(target)) return null;
  const [where = '', anchor] = target.split('#');
  const page = where === '' ? path : posix.join(posix.dirname(path), where).replace(/\/$/, '');
  if (!files.has(page) && !folders.has(page)) return `links to ${target}, which does not exist`;
  const missing = anchor !== undefined && !(anchors.get(page)?.has(anchor) ?? false);
  return missing ? `links to ${target}: ${page} has no such heading` : null;
}

const ROOM = /^(?:packages|services|schemas|test|docs|infra|scripts)\//;
/**
 * A name with one of these endings is checked as a file of the repository, even if it has no folder. Mandate itself
 * writes no such files.
 */
const SOURCE = /^[\w./-]+\.(?:ts|lua|sql|mjs)$/;

/** True if the name exists, or does not look like a file or folder of the repository. */
function isThere({ files, folders, ends }: House, name: string): boolean {
  const path = name.replace(/^\.\//, '').replace(/\/$/, '');
  if (ROOM.test(path) && /^[\w./-]+$/.test(path)) return files.has(path) || folders.has(path);
  return !SOURCE.test(path) || ends.has(path);
}

const COMMENT = /^\s*(?:\/?\*|\/\/|--|#)|\/\*\*|\s\/\/ /;
const PAGE = /\bdocs\/[\w/-]+\.md\b(?:#[\w-]+)?/g;
const NAMED = /(?<![\w./@*<:-])[\w-][\w./-]*\.(?:ts|lua|sql)\b(?!-)/g;

function faultsOfSource(house: House, _path: string, line: string): string[] {
  const named = COMMENT.test(line) ? [...line.matchAll(NAMED)].map(([name]) => name) : [];
  return [
    ...[...line.matchAll(PAGE)].flatMap(([page]) => linkFault(house, '', page) ?? []),
    ...named.filter((name) => !house.ends.has(name)).map((name) => `names ${name}, which does not exist`),
  ];
}

const ADR = /\bADRs? (\d+)|\bdocs\/adr\/(\d{4})\b/g;
const SECTION = /docs\/semantics\.md,? sections? (\d+)|section (\d+) of docs\/semantics\.md/g;
const NO_PATH = /\b(?:SEMANTICS|DESIGN|FACTS)\b/;

function faultsOfEveryText({ adrs, sections }: House, line: string): string[] {
  const missing = numbersIn(line, ADR).filter((number) => !adrs.has(number));
  const unknown = numbersIn(line, SECTION).filter((number) => !sections.has(number));
  return [
    ...missing.map((number) => `names ADR ${number}, which does not exist`),
    ...unknown.map((number) => `names section ${number} of docs/semantics.md, which does not exist`),
    ...(NO_PATH.test(line) ? ['names a page by a word: write its path under docs/'] : []),
  ];
}

/** Returns the number in each match. The form has two groups, and the number is in one of them. */
function numbersIn(line: string, form: RegExp): number[] {
  return [...line.matchAll(form)].map(([, one, other]) => Number(one ?? other));
}
