#!/usr/bin/env node
import { join } from 'node:path';
import { isModernNode, root } from './modern-node.mjs';

if (await isModernNode()) {
  if (await isBuilt()) {
    const { enableCompileCache } = await import('node:module');
    enableCompileCache(compileCache());
    await import('../out/main/cli.js');
  } else {
    process.exitCode = 2;
  }
}

/** A checkout keeps what Node has compiled beside its other caches; an installed copy, where Node keeps it. */
function compileCache() {
  return isCheckout() ? join(root, 'node_modules', '.cache', 'headway-compiled') : undefined;
}

function isCheckout() {
  return process.getBuiltinModule('node:fs').existsSync(join(root, 'src'));
}

/** An installed copy comes built; a checkout builds itself when its sources have changed. */
async function isBuilt() {
  if (!isCheckout()) return true;
  const { ensureBuild } = await import('../scripts/ensure-build.mjs');
  try {
    await ensureBuild();
    return true;
  } catch (error) {
    console.error(error.message);
    return false;
  }
}
