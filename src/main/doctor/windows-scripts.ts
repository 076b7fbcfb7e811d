/** Scripts for Windows PowerShell 5.1 and later. What they are told comes as data, never as text of the script. */

export const POWERSHELL_FLAGS = ['-NoProfile', '-NonInteractive', '-EncodedCommand'] as const;
export const ROOT_VARIABLE = 'HEADWAY_DOCTOR_ROOT';

/** As `-EncodedCommand` wants it. */
export const encodeScript = (script: string): string => Buffer.from(script, 'utf16le').toString('base64');

/** Without a console there is nothing to set; what is printed is ASCII but for names. */
const UTF8 = 'try { [Console]::OutputEncoding = New-Object Text.UTF8Encoding $false } catch { }';
/** PowerShell 5 otherwise writes some lists as an object of `value` and `Count`. */
const PLAIN_LISTS = 'Remove-TypeData -TypeName System.Array -ErrorAction SilentlyContinue';
const EXCLUDED =
  '[string[]]@(@((Get-MpPreference).ExclusionPath) | Where-Object { $_ } | ForEach-Object { [string]$_ })';

/**
 * Asks the volume itself whether it is a Dev Drive (FSCTL_QUERY_PERSISTENT_VOLUME_STATE): no administrator is needed, and no
 * language is in the answer. The mask and the version must be set, or it answers with plausible zeros.
 */
const ASK_VOLUME = `
using System; using System.Text; using System.Runtime.InteropServices; using Microsoft.Win32.SafeHandles;
public static class HeadwayVolume {
  [DllImport("kernel32", CharSet = CharSet.Unicode, SetLastError = true)]
  static extern bool GetVolumePathNameW(string file, StringBuilder volume, int size);
  [DllImport("kernel32", CharSet = CharSet.Unicode, SetLastError = true)]
  static extern SafeFileHandle CreateFileW(string name, uint access, uint share, IntPtr security, uint create, uint flags, IntPtr template);
  [DllImport("kernel32", SetLastError = true)]
  static extern bool DeviceIoControl(SafeFileHandle handle, uint code, byte[] input, int inputSize, byte[] output, int outputSize, out int returned, IntPtr overlapped);
  public static string Ask(string path) {
    var volume = new StringBuilder(1024);
    if (!GetVolumePathNameW(path, volume, volume.Capacity)) return "error " + Marshal.GetLastWin32Error();
    using (var handle = CreateFileW(volume.ToString(), 0x80, 7, IntPtr.Zero, 3, 0x02000000, IntPtr.Zero)) {
      if (handle.IsInvalid) return "error " + Marshal.GetLastWin32Error();
      var input = new byte[16]; var output = new byte[16]; int returned;
      BitConverter.GetBytes(0x6000u).CopyTo(input, 4);
      BitConverter.GetBytes(1u).CopyTo(input, 8);
      if (!DeviceIoControl(handle, 0x9023C, input, 16, output, 16, out returned, IntPtr.Zero)) return "error " + Marshal.GetLastWin32Error();
      return BitConverter.ToString(output, 0, returned).Replace("-", "");
    }
  }
}`;

/** Prints one line of JSON; changes nothing. Each part may fail for itself. */
export const PROBE_SCRIPT = `
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
${UTF8}
${PLAIN_LISTS}
$root = $env:${ROOT_VARIABLE}
function Why($e) { @{ ok = $false; id = [string]$e.FullyQualifiedErrorId; err = $e.Exception.GetType().Name } }
$r = @{ v = 1; av = $null; vol = $null; dev = $null; long = $null; tp = $null }
try {
  $id = [Security.Principal.WindowsIdentity]::GetCurrent()
  $r.elevated = (New-Object Security.Principal.WindowsPrincipal $id).IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)
} catch { }
try {
  $s = Get-MpComputerStatus
  $r.mp = @{ ok = $true; mode = [string]$s.AMRunningMode; av = [bool]$s.AntivirusEnabled; rtp = [bool]$s.RealTimeProtectionEnabled; tamper = [bool]$s.IsTamperProtected; ver = [string]$s.AMProductVersion }
} catch { $r.mp = Why $_ }
try {
  $p = Get-MpPreference
  $perf = $null
  if ($null -ne $p.PerformanceModeStatus) { $perf = [int]$p.PerformanceModeStatus }
  $r.pref = @{ ok = $true; hide = $p.HideExclusionsFromLocalUsers; perf = $perf; paths = ${EXCLUDED} }
} catch { $r.pref = Why $_ }
try {
  $r.av = @(Get-CimInstance -Namespace root/SecurityCenter2 -ClassName AntiVirusProduct | ForEach-Object { @{ name = [string]$_.displayName; state = [int]$_.productState } })
} catch { }
try {
  $type = [int](New-Object IO.DriveInfo ([IO.Path]::GetPathRoot($root))).DriveType
  $v = Get-Volume -FilePath $root
  $r.vol = @{ fs = [string]$v.FileSystem; driveType = $type }
} catch {
  try { $d = New-Object IO.DriveInfo ([IO.Path]::GetPathRoot($root)); $r.vol = @{ fs = [string]$d.DriveFormat; driveType = [int]$d.DriveType } } catch { }
}
try { $r.long = [int](Get-ItemProperty -LiteralPath 'HKLM:\\SYSTEM\\CurrentControlSet\\Control\\FileSystem').LongPathsEnabled } catch { }
try { $r.tp = [int](Get-ItemProperty -LiteralPath 'HKLM:\\SOFTWARE\\Microsoft\\Windows Defender\\Features').TPExclusions } catch { }
try {
  Add-Type -TypeDefinition @'
${ASK_VOLUME}
'@
  $r.dev = [HeadwayVolume]::Ask($root)
} catch { }
ConvertTo-Json -InputObject $r -Depth 5 -Compress
`;

export type HelperRequest = { exclude?: string; longPaths?: true; result: string };

/**
 * Runs as administrator: reads, adds what is missing, reads back, and writes what it saw to a new file. It can't say
 * anything otherwise, since an elevated process has no pipe to the one that asked for it.
 */
export function helperScript(request: HelperRequest): string {
  const data = Buffer.from(JSON.stringify(request), 'utf8').toString('base64');
  return `
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
${PLAIN_LISTS}
$q = ConvertFrom-Json ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${data}')))
$r = @{ v = 1; added = $false; before = @(); after = @(); check = $null; long = $null; error = $null }
$id = [Security.Principal.WindowsIdentity]::GetCurrent()
$r.elevated = (New-Object Security.Principal.WindowsPrincipal $id).IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)
try {
  if ($q.exclude) {
    $r.before = ${EXCLUDED}
    if (-not ($r.before -contains $q.exclude)) {
      Add-MpPreference -ExclusionPath $q.exclude -ErrorAction Stop
      $r.added = $true
    }
    $r.after = ${EXCLUDED}
    $tool = Get-ChildItem -Path (Join-Path $env:ProgramData 'Microsoft\\Windows Defender\\Platform\\*\\MpCmdRun.exe') -ErrorAction SilentlyContinue | Sort-Object LastWriteTime | Select-Object -Last 1
    $file = if ($tool) { $tool.FullName } else { Join-Path $env:ProgramFiles 'Windows Defender\\MpCmdRun.exe' }
    if (Test-Path -LiteralPath $file) {
      & $file -CheckExclusion -path $q.exclude | Out-Null
      $r.check = $LASTEXITCODE
    }
  }
  if ($q.longPaths) {
    $key = 'HKLM:\\SYSTEM\\CurrentControlSet\\Control\\FileSystem'
    Set-ItemProperty -LiteralPath $key -Name LongPathsEnabled -Type DWord -Value 1
    $r.long = [int](Get-ItemProperty -LiteralPath $key).LongPathsEnabled
  }
} catch { $r.error = [string]$_.FullyQualifiedErrorId }
$bytes = [Text.Encoding]::UTF8.GetBytes((ConvertTo-Json -InputObject $r -Depth 4 -Compress))
$file = New-Object IO.FileStream $q.result, ([IO.FileMode]::CreateNew), ([IO.FileAccess]::Write)
$file.Write($bytes, 0, $bytes.Length)
$file.Dispose()
`;
}

/** Asks Windows to start the helper as administrator, and waits for it. A refused prompt has a number, in every language. */
export function launchScript(helper: string): string {
  return `
$ErrorActionPreference = 'Stop'
${UTF8}
try {
  $i = New-Object Diagnostics.ProcessStartInfo (Join-Path $env:SystemRoot 'System32\\WindowsPowerShell\\v1.0\\powershell.exe')
  $i.Arguments = '${POWERSHELL_FLAGS.join(' ')} ${encodeScript(helper)}'
  $i.UseShellExecute = $true
  $i.Verb = 'runas'
  $i.WindowStyle = 'Hidden'
  $p = [Diagnostics.Process]::Start($i)
  $p.WaitForExit()
  ConvertTo-Json -InputObject @{ launched = $true; exit = $p.ExitCode } -Compress
} catch {
  $e = $_.Exception
  while ($e -and -not ($e -is [ComponentModel.Win32Exception])) { $e = $e.InnerException }
  $n = 0
  if ($e) { $n = $e.NativeErrorCode }
  ConvertTo-Json -InputObject @{ launched = $false; native = $n; id = [string]$_.FullyQualifiedErrorId } -Compress
}
`;
}
