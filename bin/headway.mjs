#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isModernNode, root } from './modern-node.mjs';

if (isModernNode()) {
  if (await isBuilt()) await import('../out/main/cli.js');
  else process.exitCode = 2;
}

async function isBuilt() {
  // An installed copy comes built; a checkout builds itself when its sources have changed.
  if (!existsSync(join(root, 'src'))) return true;
  const { ensureBuild } = await import('../scripts/ensure-build.mjs');
  try {
    await ensureBuild();
    return true;
  } catch (error) {
    console.error(error.message);
    return false;
  }
}
