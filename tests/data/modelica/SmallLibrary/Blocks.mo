within SmallLibrary;
package Blocks "Signals"
  connector RealInput = input Real "Signal in";
  connector RealOutput = output Real "Signal out";
end Blocks;
