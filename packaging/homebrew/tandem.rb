# For a tap; the address and the checksum are those of a release.
cask "tandem" do
  version "0.1.0"
  sha256 :no_check

  url "https://github.com/OWNER/tandem/releases/download/v#{version}/Tandem-#{version}-arm64.dmg"
  name "Tandem"
  desc "Desktop chat with local models that decode speculatively"
  homepage "https://github.com/OWNER/tandem"

  depends_on arch: :arm64
  depends_on macos: ">= :sonoma"

  app "Tandem.app"
  binary "#{appdir}/Tandem.app/Contents/MacOS/Tandem", target: "tandem"

  zap trash: [
    "~/Library/Application Support/Tandem",
    "~/Library/Caches/Tandem",
  ]
end
