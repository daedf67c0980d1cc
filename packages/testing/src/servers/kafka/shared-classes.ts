/**
 * An archive of the classes that a broker loads. The JVM maps the archive and need not read and check each class. So
 * a broker starts with two thirds of the CPU time. The first broker on a machine records its classes for the archive.
 * If Java or the jars have changed, the JVM ignores the archive.
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
    // A copy is used, because the running broker still writes to the file.
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
    // The archive is optional: without it, a broker only starts more slowly.
  });
  return started;
}
