package history

// applicationID marks SQLite files as journals of this program ("RoaJ").
const applicationID = 0x526f614a

// schemaVersion grows with every change of tables. Files of earlier ones are migrated by
// whoever opens them for writing.
const schemaVersion = 4

// tablesOf returns the script that migrates a file to a schema from the one before it, 1 from
// an empty file (JOURNAL.md, The file). Times are milliseconds since 1970; nothing is ordered
// by them.
func tablesOf(schema int64) string {
	switch schema {
	case 1:
		return firstTables
	case 2:
		return versionTables
	case 3:
		return claimTables
	}
	return undoneColumn
}

// undoneColumn came with schema 4: the change that a change takes back, or was to; see
// Intent.Undoes. That may be purged.
const undoneColumn = `
ALTER TABLE change ADD COLUMN undoes INTEGER;
CREATE INDEX change_undoes ON change (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX change_gone ON change (call) WHERE class IN ('gone', 'rename', 'merge');
`

// claimTables came with schema 3. A row goes with its call, so that there are few, and
// refers to no other, which a purge might take away meanwhile.
const claimTables = `
CREATE TABLE claim (           -- a call in the line for a page, by id; see Claim
	id INTEGER PRIMARY KEY, graph TEXT NOT NULL, type TEXT NOT NULL, page TEXT NOT NULL,
	server INTEGER NOT NULL, agent TEXT NOT NULL, since INTEGER -- since: NULL while it waits
);
`

// versionTables came with schema 2. A row has no hash of what was before it: that may be
// purged.
const versionTables = `
CREATE TABLE version (         -- what a page was; every row is a text
	id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, -- name: Version.ID
	graph INTEGER NOT NULL REFERENCES graph, page TEXT NOT NULL,
	seen INTEGER NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL,
	author TEXT NOT NULL, agent TEXT NOT NULL, client TEXT NOT NULL,
	title TEXT NOT NULL, origin TEXT NOT NULL, -- origin: Version.From
	created INTEGER, updated INTEGER, body INTEGER NOT NULL REFERENCES body,
	UNIQUE (graph, page, name)
);
CREATE INDEX version_page ON version (graph, page, id);
CREATE INDEX version_title ON version (graph, title, id);
CREATE INDEX version_seen ON version (seen);
CREATE INDEX version_body ON version (body);
`

const firstTables = `
CREATE TABLE meta (            -- key: of the hashes of bodies; notice:CODE: see notices.go
	name TEXT PRIMARY KEY, value BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE graph (id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, UNIQUE (name, type));
CREATE TABLE server (          -- a process that wrote; it lives while it holds servers/ID.lock
	id INTEGER PRIMARY KEY AUTOINCREMENT, pid INTEGER NOT NULL, program TEXT NOT NULL, kind TEXT NOT NULL,
	started INTEGER NOT NULL, ended INTEGER
);
CREATE TABLE session (
	id INTEGER PRIMARY KEY AUTOINCREMENT, server INTEGER NOT NULL REFERENCES server,
	agent TEXT NOT NULL, client TEXT NOT NULL, version TEXT NOT NULL, era TEXT NOT NULL,
	connection TEXT NOT NULL,      -- empty: stateless
	opened INTEGER NOT NULL, last INTEGER NOT NULL
);
CREATE INDEX session_server ON session (server, connection, agent);
CREATE TABLE body (            -- texts, deflated; each is kept once
	id INTEGER PRIMARY KEY, mac BLOB NOT NULL UNIQUE, size INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE TABLE call (
	id INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL REFERENCES session, graph INTEGER NOT NULL REFERENCES graph,
	tool TEXT NOT NULL, at INTEGER NOT NULL, done INTEGER, -- done: when its newest change ended
	state TEXT NOT NULL,           -- CallState, kept as its changes have it
	code TEXT, evidence TEXT,      -- of the newest change that has one
	summary TEXT, args INTEGER REFERENCES body,
	texts INTEGER NOT NULL         -- 1: texts are kept; 0: they were purged, or never kept
);
CREATE INDEX call_graph ON call (graph, id);
CREATE INDEX call_session ON call (session, id);
CREATE INDEX call_tool ON call (tool, id);
CREATE INDEX call_hour ON call (at / 3600000, id); -- clocks may be set back, so at does not grow with id
CREATE INDEX call_texts ON call (at) WHERE texts = 1;
CREATE INDEX call_args ON call (args) WHERE args IS NOT NULL;
CREATE TABLE change (
	id INTEGER PRIMARY KEY AUTOINCREMENT, call INTEGER NOT NULL REFERENCES call ON DELETE CASCADE, seq INTEGER NOT NULL,
	mark INTEGER NOT NULL,         -- grows with every intent and outcome of the file; see Journal.Mark
	action TEXT NOT NULL, class TEXT NOT NULL, state TEXT NOT NULL,
	sent INTEGER NOT NULL, done INTEGER, code TEXT, evidence TEXT,
	request INTEGER REFERENCES body, before INTEGER REFERENCES body, after INTEGER REFERENCES body,
	before_by TEXT NOT NULL, after_by TEXT,  -- after_by: NULL until it is read
	lacks TEXT,                    -- JSON list
	UNIQUE (call, seq)
);
CREATE INDEX change_mark ON change (mark);
CREATE INDEX change_open ON change (state) WHERE state = 'open';
CREATE INDEX change_unread ON change (id) WHERE state = 'done' AND after_by IS NULL AND request IS NOT NULL;
CREATE INDEX change_request ON change (request) WHERE request IS NOT NULL;
CREATE INDEX change_before ON change (before) WHERE before IS NOT NULL;
CREATE INDEX change_after ON change (after) WHERE after IS NOT NULL;
CREATE TABLE touch (           -- a uid may have several roles in one change
	graph INTEGER NOT NULL REFERENCES graph, uid TEXT NOT NULL, change INTEGER NOT NULL REFERENCES change ON DELETE CASCADE,
	role INTEGER NOT NULL, page TEXT NOT NULL, -- page: uid, empty where unknown
	PRIMARY KEY (graph, uid, change, role)
) WITHOUT ROWID;
CREATE INDEX touch_change ON touch (change);
CREATE INDEX touch_page ON touch (graph, page, change) WHERE page <> '';
CREATE TABLE page (            -- titles that touched pages had; texts
	graph INTEGER NOT NULL REFERENCES graph, uid TEXT NOT NULL, title TEXT NOT NULL,
	seen INTEGER NOT NULL,         -- the newest change that saw the title, with which it is purged
	PRIMARY KEY (graph, uid, title)
) WITHOUT ROWID;
CREATE INDEX page_title ON page (title);
CREATE INDEX page_seen ON page (seen);
`
