// Package demograph holds the small graph of the examples of the profiles, as an
// export. Its pages, texts, uids and times are what their tests name.
package demograph

import _ "embed"

// JSON is the export.
//
//go:embed demo-profiles.json
var JSON string
