/**
 * An archive of the classes that a broker loads. The JVM maps the archive instead of reading and checking each class,
 * so a broker starts with two thirds of the CPU time. The first broker on a machine records which classes these are.
 * If the archive belongs to another Java or other jars, the JVM ignores it.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedFolder, folderInCache } from '../cache-folder.ts';
import { runTool } from '../run-tool.ts';

const ARCHIVE = 'classes.jsa';

let isTold = false;

/**
 * @param jvm the flags of every broker
 * @param start starts a broker with these additional flags
 */
export async function withSharedClasses<T>(
  kafka: { version: string; classpath: string; java: number },
  { jvm, folder }: { jvm: readonly string[]; folder: string },
  start: (flags: readonly string[]) => Promise<T>,
): Promise<T> {
  const name = `kafka-${kafka.version}-classes-java-${kafka.java}`;
  const shared = folderInCache(name);
  if (shared !== null) return start([`-XX:SharedArchiveFile=${join(shared, ARCHIVE)}`]);
  if (isTold) return start([]);
  isTold = true;
  const classes = join(folder, 'classes.lst');
  const started = await start([`-XX:DumpLoadedClassList=${classes}`]);
  await cachedFolder(name, async (into) => {
    const list = join(into, 'classes.lst');
    // Copies the present state, because the broker goes on adding to the file.
    await copyFile(classes, list);
    const dump = [
      '-Xshare:dump',
      `-XX:SharedClassListFile=${list}`,
      `-XX:SharedArchiveFile=${join(into, ARCHIVE)}`,
    ];
    await runTool('java', [...jvm, ...dump, '-cp', kafka.classpath], {
      orInstall: 'its classes cannot be archived',
    });
  }).catch(() => {
    // Without the archive a broker starts more slowly, and nothing else differs.
  });
  return started;
}
