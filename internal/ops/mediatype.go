package ops

import (
	"bytes"
	"mime"
	"net/http"
	"path"
	"strings"
)

const unknownType = "application/octet-stream"

// mediaType is the first that says anything, without parameters.
func mediaType(candidates ...string) string {
	for _, each := range candidates {
		kind, _, err := mime.ParseMediaType(each)
		if err == nil && strings.Contains(kind, "/") && kind != unknownType {
			return kind
		}
	}
	return unknownType
}

// sniffed is the media type that the first bytes prove; empty where they leave
// it open, as those of plain text do, and of the archives that documents are.
func sniffed(content []byte) string {
	kind := guessed(content)
	for _, sure := range []string{"image/", "audio/", "video/", "application/pdf"} {
		if strings.HasPrefix(kind, sure) {
			return kind
		}
	}
	return ""
}

// guessed is the media type that the first bytes suggest.
func guessed(content []byte) string {
	for _, tiff := range []string{"II*\x00", "MM\x00*"} {
		if bytes.HasPrefix(content, []byte(tiff)) {
			return "image/tiff"
		}
	}
	kind := http.DetectContentType(content)
	if kind == "image/x-icon" {
		return "image/vnd.microsoft.icon"
	}
	return kind
}

// byName is the media type of a file's extension (LOCAL_API.md 3.4), the same on
// every machine.
func byName(name string) string {
	switch strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")) {
	case "jpg", "jpeg":
		return "image/jpeg"
	case "svg":
		return "image/svg+xml"
	case "ico":
		return "image/vnd.microsoft.icon"
	case "tif", "tiff":
		return "image/tiff"
	case "png", "gif", "bmp", "webp", "heic", "heif", "avif":
		return "image/" + strings.ToLower(path.Ext(name))[1:]
	case "htm", "html":
		return "text/html"
	case "txt":
		return "text/plain"
	case "md", "markdown":
		return "text/markdown"
	case "js":
		return "text/javascript"
	case "tsv":
		return "text/tab-separated-values"
	case "css", "csv":
		return "text/" + strings.ToLower(path.Ext(name))[1:]
	case "yaml", "yml":
		return "application/yaml"
	}
	return byOtherName(name)
}

// byOtherName knows documents, sound and film.
func byOtherName(name string) string {
	const office = "application/vnd.openxmlformats-officedocument."
	switch extension := strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")); extension {
	case "pdf", "json", "xml", "rtf", "zip":
		return "application/" + extension
	case "doc":
		return "application/msword"
	case "xls":
		return "application/vnd.ms-excel"
	case "ppt":
		return "application/vnd.ms-powerpoint"
	case "docx":
		return office + "wordprocessingml.document"
	case "xlsx":
		return office + "spreadsheetml.sheet"
	case "pptx":
		return office + "presentationml.presentation"
	case "mp3":
		return "audio/mpeg"
	case "m4a":
		return "audio/mp4"
	case "wav", "ogg":
		return "audio/" + extension
	case "mov":
		return "video/quicktime"
	case "mp4", "webm":
		return "video/" + extension
	}
	return ""
}

// ImageForModels gives the media type of an image that models can look at, by
// its bytes; empty where it is no such image. Clients drop a whole conversation
// over an image of another type.
func ImageForModels(content []byte) string {
	switch kind := http.DetectContentType(content); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return kind
	}
	return ""
}

// IsText reports whether the bytes begin like text.
func IsText(content []byte) bool {
	return strings.HasPrefix(http.DetectContentType(content), "text/")
}
