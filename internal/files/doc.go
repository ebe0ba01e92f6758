// Package files reads and writes files that others may change, replace or hold open at any
// moment: only regular ones are opened, without waiting for any (Open, OpenOwn), they are
// replaced so that nobody sees a part of one (ReplaceAtomically), written line by line and
// moved away before they grow too large (LogFile), looked at until they change (Poll), and
// kept in part (Head, Tail).
//
// A replacement takes no lock, and follows no symbolic link unless asked to (see
// ResolveLinks). No function knows what the files hold. Errors are those of package os.
package files
